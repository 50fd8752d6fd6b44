// Lists and maps as one line of text, in shell notation.

// words splits a text at spaces. Quotes group a word; a backslash escapes the next character.
export function words(text: string): string[] {
  const list: string[] = [];
  let word = "";
  let quote = "";
  let begun = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (quote !== "'" && c === "\\" && i + 1 < text.length) {
      word += text[++i] ?? "";
      begun = true;
    } else if (quote !== "") {
      if (c === quote) quote = "";
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      begun = true;
    } else if (/\s/.test(c)) {
      if (begun) list.push(word);
      word = "";
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) list.push(word);
  return list;
}

// open reports whether a quote is not closed.
export function open(text: string): boolean {
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (quote !== "'" && c === "\\") i++;
    else if (quote === "" && (c === '"' || c === "'")) quote = c;
    else if (c === quote) quote = "";
  }
  return quote !== "";
}

// line joins words so that words() returns the same words.
export function line(list: string[]): string {
  return list.map((word) => (/^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
}

// pairs splits "a=1 b=2". A word without "=" has no value, and is a mistake for the
// caller.
export function pairs(text: string): [string, string | undefined][] {
  return words(text).map((word) => {
    const at = word.indexOf("=");
    return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
  });
}
