// The rows that the list shows, as a file for spreadsheets.

import type { Row } from "./rows";

// field quotes a value. A value that a spreadsheet would interpret as a formula begins with a
// quote.
export function field(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? "'" + value : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// lines returns the rows as CSV, with a head.
export function lines(rows: readonly Row[]): string {
  const head = ["cluster", "namespace", "kind", "name", "uid", "state", "reason", "queue", "owner", "gpus", "submitted", "since", "ended", "waited_seconds", "ran_seconds", "tries"];
  const body = rows.map(({ job: j }) => [j.cluster, j.namespace, j.kind, j.name, j.uid, j.state, j.reason ?? "", j.queue ?? "", j.owner ?? "", j.gpus < 0 ? "" : j.gpus, j.submitted, j.since, j.ended ?? "", Math.round(j.waited), Math.round(j.ran), j.tries].map(field).join(","));
  return [head.join(","), ...body].join("\r\n") + "\r\n";
}

// csv saves the rows as a file.
export function csv(rows: readonly Row[]): void {
  const url = URL.createObjectURL(new Blob([lines(rows)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "jobs.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
