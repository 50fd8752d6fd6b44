// Recently submitted jobs. Their pages wait until the recorder has seen them.

// lasts is how long a page waits, in milliseconds.
const lasts = 120_000;

const expected = new Map<string, number>();

// expect records that a job was submitted now.
export function expect(uid: string): void {
  for (const [old, at] of expected) {
    if (Date.now() - at > lasts) {
      expected.delete(old);
    }
  }
  expected.set(uid, Date.now());
}

// isExpected reports whether a job was submitted a short time ago.
export function isExpected(uid: string): boolean {
  const at = expected.get(uid);
  return at !== undefined && Date.now() - at <= lasts;
}
