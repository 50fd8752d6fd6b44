// Announces a summary of changes to screen readers, at most every 5 seconds.

import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../../words";
import type { Happened, View } from "./rows";

const every = 5000;

// useAnnounced returns the text of the live region.
export function useAnnounced(view: View | undefined): string {
  const [text, say] = useState("");
  const told = useRef<Happened>({ added: 0, started: 0, ended: 0, failed: 0 });
  const latest = useRef<Happened | undefined>(undefined);
  latest.current = view?.happened;
  useEffect(() => {
    const timer = setInterval(() => {
      const h = latest.current;
      if (!h) {
        return;
      }
      const before = told.current;
      // A new answer resets the counts.
      const since = (a: number, b: number) => (a >= b ? a - b : a);
      const news = words.peek().live.summary(since(h.started, before.started), since(h.failed, before.failed), since(h.ended, before.ended), since(h.added, before.added));
      told.current = h;
      if (news !== "") {
        say(news);
      }
    }, every);
    return () => clearInterval(timer);
  }, []);
  return text;
}
