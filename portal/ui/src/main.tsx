import { render } from "preact";
import "./app.css";
import { startClock } from "./core/clock";
import { startKeys } from "./core/keys";
import { startRouter } from "./core/router";
import { loadSession } from "./core/session";
import { startTheme } from "./core/theme";
import { App } from "./shell/app";
import { startLanguage } from "./words/language";

startTheme();
startLanguage();
startRouter();
startKeys();
startClock();
void loadSession();
const root = document.getElementById("app");
if (root) {
  render(<App />, root);
}
