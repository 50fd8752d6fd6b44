// Lists and maps as one line of text, as a person would type them into a shell.

// words splits a text at spaces. Quotes hold a word together; a backslash takes the next character.
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

// open says whether a quote has no end.
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

// line joins words so that words() splits them again into the same.
export function line(list: string[]): string {
  return list.map((word) => (/^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
}

// pairs splits "a=1 b=2". A word without "=" has no value, and is a mistake of the caller.
export function pairs(text: string): [string, string | undefined][] {
  return words(text).map((word) => {
    const at = word.indexOf("=");
    return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
  });
}
