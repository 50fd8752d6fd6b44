// The selected columns in the URL, so that a link shows the same list.

// readChoice returns the columns of a text; undefined if it names no known column.
export function readChoice<T extends string>(text: string, known: readonly T[]): T[] | undefined {
  const names = new Set(text.split(","));
  const found = known.filter((name) => names.has(name));
  return found.length === 0 ? undefined : found;
}

// writeChoice returns the text for some columns; null for the default, which URLs omit.
export function writeChoice<T extends string>(names: readonly T[], first: readonly T[], known: readonly T[]): string | null {
  const same = names.length === first.length && names.every((name) => first.includes(name));
  return same ? null : known.filter((name) => names.includes(name)).join(",");
}
