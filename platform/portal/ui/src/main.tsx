import { render } from "preact";
import "./app.css";
import { PathCounts } from "./api";
import type { JobCounts } from "./api";
import { get } from "./core/client";
import { startClock } from "./core/clock";
import { startKeys } from "./core/keys";
import { keepStream } from "./core/live";
import { startRouter } from "./core/router";
import { loadSession } from "./core/session";
import { startTheme } from "./core/theme";
import { guardTexts } from "./design/texts";
import { App } from "./shell/app";
import { startLanguage } from "./words/language";

guardTexts();
startTheme();
startLanguage();
startRouter();
startKeys();
startClock();
void loadSession();
keepStream(() => get<JobCounts>(PathCounts).then((c) => c.position));
const root = document.getElementById("app");
if (root) {
  render(<App />, root);
}
