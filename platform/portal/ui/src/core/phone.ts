// Phones show lists instead of tables.

import { useEffect, useState } from "preact/hooks";

const narrow = matchMedia("(max-width: 639px)");

// usePhone reports whether the window is as narrow as a phone.
export function usePhone(): boolean {
  const [phone, set] = useState(narrow.matches);
  useEffect(() => {
    const change = () => set(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return phone;
}
