// Colors of YAML, line by line. The tokenizer does not parse the grammar: it is precise
// enough for manifests, never loses a character, and takes linear time on hostile text.

// Token is a piece of a line with the class that draws it.
export interface Token {
  kind: "key" | "mark" | "text" | "word" | "comment" | "value";
  text: string;
}

const keyed = /^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:"'[\]{},][^#:]*?)(:)(?=\s|$)/;
const dashed = /^(\s*(?:- +)*-?)(?=\s|$)/;
const word = /^(?:true|false|null|~|-?\d[\d_.]*(?:[eE][-+]?\d+)?)$/;
const blockHead = /(?:^|\s)[|>][-+]?\d?[-+]?\s*(?:#.*)?$/;

// longest is the number of characters of a line that are colored; the rest is one token.
const longest = 2000;

// tokens splits lines. The pieces of a line, joined, are the line.
export function tokens(lines: string[]): Token[][] {
  let block = -1;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (block >= 0) {
      if (indent < 0 || indent > block) return [{ kind: "text", text: line }];
      block = -1;
    }
    const list = tokensOf(line);
    if (blockHead.test(line.slice(0, longest)) && list.some((t) => t.kind === "key" || t.kind === "mark")) block = indent;
    return list;
  });
}

function tokensOf(line: string): Token[] {
  const list: Token[] = [];
  let rest = line.slice(0, longest);
  const add = (kind: Token["kind"], text: string) => {
    if (text !== "") list.push({ kind, text });
  };
  const key = keyed.exec(rest);
  const dash = key === null ? dashed.exec(rest) : null;
  if (key !== null) {
    add("mark", key[1] ?? "");
    add("key", key[2] ?? "");
    add("mark", key[3] ?? "");
    rest = rest.slice(key[0].length);
  } else if (dash !== null) {
    add("mark", dash[1] ?? "");
    rest = rest.slice((dash[1] ?? "").length);
  }
  const comment = commentAt(rest);
  const value = rest.slice(0, comment);
  const bare = value.trim();
  add(word.test(bare) ? "word" : /^["']/.test(bare) ? "text" : "value", value);
  add("comment", rest.slice(comment));
  add("value", line.slice(longest));
  return list;
}

// commentAt returns where a comment begins, or the length of the text.
function commentAt(text: string): number {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    const before = i === 0 ? " " : (text[i - 1] ?? " ");
    if (quote === '"' && c === "\\") i++;
    else if (quote !== "") quote = c === quote ? "" : quote;
    else if ((c === '"' || c === "'") && /[\s[{,:]/.test(before)) quote = c;
    else if (c === "#" && /\s/.test(before)) return i;
  }
  return text.length;
}

// linesOf splits a text into lines. A line break at the end adds no line.
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines;
}
