// Text of strangers, made visible: control characters become symbols, and have no effect.

// hidden matches characters that a page would drop, move or reorder.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// visible replaces control and direction characters by symbols. Tabs and line feeds stay.
export function visible(text: string): string {
  return text.replace(hidden, symbol);
}

function symbol(c: string): string {
  const code = c.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u2329${code.toString(16).toUpperCase().padStart(4, "0")}\u232a`;
}

// wide matches characters that take two columns in monospaced type.
const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

// columns returns how many columns of monospaced type a text takes.
export function columns(text: string): number {
  let n = 0;
  for (const c of text) n += widthOf(c);
  return n;
}

function widthOf(c: string): number {
  if (c === "\t") return 4;
  if (c.charCodeAt(0) < 0x1100) return 1;
  return c.length > 1 || wide.test(c) ? 2 : 1;
}

// broken breaks a text into rows of at most a number of columns. It has at least one row.
export function broken(text: string, width: number): string[] {
  if (text.length * 2 <= width || (text.length <= width && columns(text) <= width)) return [text];
  const list: string[] = [];
  let row = "";
  let n = 0;
  for (const c of text) {
    const w = widthOf(c);
    if (n + w > width && row !== "") {
      list.push(row);
      row = "";
      n = 0;
    }
    row += c;
    n += w;
  }
  list.push(row);
  return list;
}
