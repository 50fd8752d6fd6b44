// A sentence with strong names and numbers, and its unknown facts.

import { emphasized } from "./emphasis";

// Sentence shows a sentence of the API.
export function Sentence({ text, words }: { text: string; words: readonly (string | undefined)[] }) {
  return <p class="sentence">{emphasized(text, words).map((piece) => (piece.strong ? <b>{piece.text}</b> : piece.text))}</p>;
}

// Unknown lists unknown facts, each with its reason.
export function Unknown({ title, list }: { title: string; list: readonly string[] | undefined }) {
  if (!list || list.length === 0) {
    return null;
  }
  return (
    <div class="unknown">
      <span class="text-3">{title}</span>
      <ul>{list.map((text) => <li>{text}</li>)}</ul>
    </div>
  );
}
