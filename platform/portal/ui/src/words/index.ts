// Words of the pages in the chosen language.

import { computed } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { en } from "./en";
import { language } from "./language";
import { zh } from "./zh";

// words are the words that all pages share.
export const words = pageWords({ en, zh });

// pageWords selects one of two dictionaries with the same keys. Each page has its own, which
// is loaded with the page.
export function pageWords<T>(dictionaries: { en: T; zh: T }): ReadonlySignal<T> {
  return computed(() => dictionaries[language.value]);
}

// stateWord returns the word of a state. An unknown state is shown unchanged.
export function stateWord(state: string): string {
  const states: Record<string, string> = words.value.states;
  return states[state] ?? state;
}
