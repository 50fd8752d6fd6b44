// Important words of a sentence: names and numbers that the answer also has as facts.

// Piece is a part of a sentence.
export interface Piece {
  text: string;
  strong: boolean;
}

// emphasized marks occurrences of the words, the longest first. Words within other words are
// not marked.
export function emphasized(sentence: string, words: readonly (string | undefined)[]): Piece[] {
  const wanted = [...new Set(words.filter((word): word is string => word !== undefined && word.length > 0))].sort((a, b) => b.length - a.length).slice(0, 20);
  if (wanted.length === 0) {
    return [{ text: sentence, strong: false }];
  }
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{Script=Latin}\\p{N}])`, "gu");
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of sentence.matchAll(pattern)) {
    if (found.index > at) {
      pieces.push({ text: sentence.slice(at, found.index), strong: false });
    }
    pieces.push({ text: found[0], strong: true });
    at = found.index + found[0].length;
  }
  if (at < sentence.length || pieces.length === 0) {
    pieces.push({ text: sentence.slice(at), strong: false });
  }
  return pieces;
}
