// Choices that only this browser needs. Every read and write may fail: a person may forbid it.

// recall returns a kept value, or the other one.
export function recall<T>(key: string, other: T): T {
  try {
    const text = localStorage.getItem("vedette." + key);
    return text === null ? other : (JSON.parse(text) as T);
  } catch {
    return other;
  }
}

// remember keeps a value.
export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem("vedette." + key, JSON.stringify(value));
  } catch {
    // The choice lasts as long as the page.
  }
}
