// The theme: light, dark, or the system's. The server writes it into the page from a cookie,
// so pages do not flash.

import { computed, effect, signal } from "@preact/signals";
import { setCookie } from "./cookie";

export type Theme = "light" | "dark" | "system";

const dark = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(dark.matches);
const print = matchMedia("print");
const printing = signal(print.matches);

function initial(): Theme {
  const said = document.documentElement.dataset["theme"];
  return said === "light" || said === "dark" ? said : "system";
}

// theme is the choice of the person.
export const theme = signal<Theme>(initial());

// shownTheme is the theme that the page shows; paper is light. Canvases redraw when it
// changes.
export const shownTheme = computed<"light" | "dark">(() => (printing.value ? "light" : theme.value === "system" ? (systemDark.value ? "dark" : "light") : theme.value));

// setTheme changes and keeps the choice.
export function setTheme(t: Theme): void {
  theme.value = t;
  setCookie("vedette_theme", t);
}

// toggleTheme changes between light and dark.
export function toggleTheme(): void {
  setTheme(shownTheme.peek() === "dark" ? "light" : "dark");
}

// startTheme keeps the page in the theme.
export function startTheme(): void {
  dark.addEventListener("change", () => {
    systemDark.value = dark.matches;
  });
  print.addEventListener("change", () => {
    printing.value = print.matches;
  });
  effect(() => {
    document.documentElement.dataset["theme"] = printing.value ? "light" : theme.value;
  });
}
