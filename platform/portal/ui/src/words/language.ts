// The language of the pages. The server writes it into the page from a cookie or from the
// browser's Accept-Language.

import { effect, signal } from "@preact/signals";
import { setCookie } from "../core/cookie";

export type Language = "en" | "zh";

function initial(): Language {
  const said = new URLSearchParams(location.search).get("lang") ?? document.documentElement.lang;
  return said.startsWith("zh") ? "zh" : "en";
}

// language is the language that the pages show.
export const language = signal<Language>(initial());

// setLanguage changes and keeps the language.
export function setLanguage(l: Language): void {
  language.value = l;
  setCookie("vedette_lang", l);
}

// startLanguage applies the language to the document.
export function startLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
  });
}
