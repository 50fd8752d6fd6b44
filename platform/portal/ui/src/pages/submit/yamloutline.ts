// The fields of YAML in block style, by line. Servers write manifests in this style; parts in
// another style are skipped, and have no fields.

// Node is a key with the place of its value.
export interface Node {
  // The path in the notation of servers: "spec.containers[0].image",
  // "metadata.labels[a.b/c]".
  path: string;
  key: string;
  // The line, from 0, the line after its block, and the column of the key.
  line: number;
  end: number;
  column: number;
  // Where the value is in the line; from equals to if the value is a block.
  from: number;
  to: number;
  value: string;
}

interface Open {
  indent: number;
  path: string;
  item: boolean;
  node?: Node;
}

const keyed = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},&*!|>%@`-][^#:]*?|-[^\s:][^#:]*?)(\s*:)(\s+|$)/;

// mostLines limits the lines that are read.
const mostLines = 20_000;

// outline returns the keys of a text, in the order of lines.
export function outline(lines: string[]): Node[] {
  const nodes: Node[] = [];
  const counts = new Map<string, number>();
  let stack: Open[] = [];
  let block = -1;
  const close = (line: number, keep: (open: Open) => boolean) => {
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top === undefined || keep(top)) return;
      if (top.node !== undefined) top.node.end = line;
      stack.pop();
    }
  };
  lines.slice(0, mostLines).forEach((text, line) => {
    const indent = text.search(/\S/);
    if (indent < 0 || text[indent] === "#" || /^(?:---|\.\.\.)/.test(text)) {
      if (indent === 0 && text.startsWith("---")) close(line, () => false);
      return;
    }
    if (block >= 0 && indent > block) return;
    block = -1;
    let column = indent;
    while (/^-(?: |$)/.test(text.slice(column))) {
      const at = column;
      close(line, (open) => open.indent < at || (open.indent === at && !open.item));
      const parent = stack[stack.length - 1]?.path ?? "";
      const n = counts.get(parent) ?? 0;
      counts.set(parent, n + 1);
      stack.push({ indent: column, path: `${parent}[${n}]`, item: true });
      column += Math.max(1, text.slice(column + 1).search(/\S/) + 1);
      if (text.slice(column).trim() === "" || text.slice(column) === "-") break;
    }
    const found = keyed.exec(text.slice(column));
    if (found === null) return;
    const at = column;
    close(line, (open) => open.indent < at);
    const node = nodeOf(text, line, column, found, stack[stack.length - 1]?.path ?? "");
    counts.delete(node.path);
    nodes.push(node);
    stack.push({ indent: column, path: node.path, item: false, node });
    if (/^[|>][-+0-9]*$/.test(node.value)) block = column;
  });
  close(Math.min(lines.length, mostLines), () => false);
  stack = [];
  return nodes;
}

function nodeOf(text: string, line: number, column: number, found: RegExpExecArray, parent: string): Node {
  const key = unquoted(found[1] ?? "");
  const from = column + found[0].length;
  const to = from + valueLength(text.slice(from));
  return { path: joined(parent, key), key, line, end: line + 1, column, from: Math.min(from, text.length), to, value: text.slice(from, to) };
}

// joined adds a key to a path. Keys with other characters than letters, digits and "-" are in
// brackets.
export function joined(parent: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${parent}[${key}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

// valueLength returns the length of a scalar without the comment behind it.
function valueLength(text: string): number {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(text);
  if (quoted !== null) return quoted[0].length;
  const comment = text.search(/\s#/);
  return (comment < 0 ? text : text.slice(0, comment)).trimEnd().length;
}

// unquoted returns the text of a scalar.
export function unquoted(scalar: string): string {
  if (scalar.length > 1 && scalar.startsWith("'") && scalar.endsWith("'")) return scalar.slice(1, -1).replace(/''/g, "'");
  if (scalar.length > 1 && scalar.startsWith('"') && scalar.endsWith('"')) {
    try {
      return String(JSON.parse(scalar));
    } catch {
      return scalar.slice(1, -1);
    }
  }
  return scalar;
}

// scalar formats a text as a scalar. A text that YAML would interpret differently is quoted.
export function scalar(text: string, plain: boolean): string {
  if (plain) return text;
  const odd = text === "" || /^[\s?:,[\]{}#&*!|>'"%@`]|^-(?:\s|$)|[:#]\s|\s#|\s$|:$|[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
  const read = /^(?:true|false|null|~|yes|no|on|off|y|n|[-+]?(?:\d[\d_]*)?\.?\d+(?:[eE][-+]?\d+)?|0[xo][\da-f]+|[-+]?\.(?:inf|nan)|\d{4}-\d\d?-\d\d?.*)$/i;
  return odd || read.test(text) ? JSON.stringify(text) : text;
}
