// Choices that the server needs to know before the first paint are cookies.

// setCookie keeps a value for a year.
export function setCookie(name: string, value: string): void {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`;
}

// cookie returns a value, or "".
export function cookie(name: string): string {
  for (const part of document.cookie.split("; ")) {
    const i = part.indexOf("=");
    if (part.slice(0, i) === name) {
      return decodeURIComponent(part.slice(i + 1));
    }
  }
  return "";
}
