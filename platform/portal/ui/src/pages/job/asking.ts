// The question of the page before an act. It is in the URL, so that links in messages can open
// it; opening a URL never acts.

import { here, setQuery } from "../../core/router";

// Question is an act that the page asks about.
export type Question = "stop" | "retry" | "mute" | "acknowledge" | "subscribe";

const questions: readonly string[] = ["stop", "retry", "mute", "acknowledge", "subscribe"];

// asked returns the question of the URL.
export function asked(): Question | undefined {
  const text = here.value.query.get("ask") ?? "";
  return questions.includes(text) ? (text as Question) : undefined;
}

// ask opens a question, and Back closes it.
export function ask(question: Question): void {
  setQuery({ ask: question });
}

// answered closes the question.
export function answered(): void {
  setQuery({ ask: null }, "replace");
}
