// Tables as files for spreadsheets.

export type Cell = string | number | undefined;

// csv formats rows as in RFC 4180. A text that a spreadsheet would interpret as a formula
// gets an apostrophe, because names of jobs and owners come from other people.
export function csv(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function cell(value: Cell): string {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    return "";
  }
  if (typeof value === "number") {
    return String(value);
  }
  const safe = /^\s*[=+\-@\t\r]/.test(value) ? "'" + value : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// download saves a file.
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
