// states are the states of jobs in the order of a job's life. Package job has the same list and the
// same sets; a test compares them.
export const states = ["Submitted", "Queued", "Suspended", "Starting", "Running", "Restarting", "Succeeded", "Failed", "Aborted", "Deleted"] as const;

const waiting: ReadonlySet<string> = new Set(["Submitted", "Queued"]);
const final: ReadonlySet<string> = new Set(["Succeeded", "Failed", "Aborted", "Deleted"]);

// finals are the states in which a job has ended, in order.
export const finals = states.filter((s) => final.has(s));

// waits reports whether a job in a state waits for quota or for a place to run.
export function waits(state: string): boolean {
  return waiting.has(state);
}

// isFinal reports whether a job in a state has ended.
export function isFinal(state: string): boolean {
  return final.has(state);
}

// isOpen reports whether a job in a state has not ended. A job without a known state is not open.
export function isOpen(state: string): boolean {
  return !final.has(state) && (states as readonly string[]).includes(state);
}

// holds reports whether a job in a state holds its place: it neither waits, nor is on hold, nor has
// it ended.
export function holds(state: string): boolean {
  return isOpen(state) && !waiting.has(state) && state !== "Suspended";
}
