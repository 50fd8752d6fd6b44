// Keys of requests: two requests with one key have one effect.

// newKey returns 32 random hexadecimal digits. It also works on pages without TLS.
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}
