// The dry run while a person types: 400 ms after the last key.

import { useEffect, useRef, useState } from "preact/hooks";
import { PathCheck, PathRender } from "../../api";
import type { Checked, Problem, Rendered, SubmitRequest } from "../../api";
import { aborted, problem, write } from "../../core/client";
import { serverNow } from "../../core/clock";

// checkAfter and renderAfter are how long the page waits after the last key, in milliseconds.
const checkAfter = 400;
const renderAfter = 150;

// Verdict is the last response of the server.
export interface Verdict {
  // of is the checked request, as text; the verdict is outdated if the page has another one.
  of: string;
  answer?: Checked;
  problem?: Problem;
  at: number;
}

// useCheck runs a dry run of each request that does not change for a while. It returns the
// last verdict, and whether one is in progress. undefined is not checked.
export function useCheck(request: SubmitRequest | undefined): { verdict: Verdict | undefined; busy: boolean; fresh: boolean } {
  const [verdict, set] = useState<Verdict | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const text = request === undefined ? "" : JSON.stringify(request);
  useEffect(() => {
    if (request === undefined) {
      setBusy(false);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      setBusy(true);
      write<Checked>("POST", PathCheck, request, stop.signal)
        .then((answer) => set({ of: text, answer, at: serverNow() }))
        .catch((e: unknown) => {
          if (!aborted(e)) {
            set({ of: text, problem: problem(e), at: serverNow() });
          }
        })
        .finally(() => {
          if (!stop.signal.aborted) {
            setBusy(false);
          }
        });
    }, checkAfter);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return { verdict, busy, fresh: verdict?.of === text && text !== "" };
}

// useRendered passes the YAML of a form to a function, a moment after the last key.
export function useRendered(template: string, values: Record<string, unknown>, take: (answer: Rendered) => void): void {
  const latest = useRef(take);
  latest.current = take;
  const text = template === "" ? "" : JSON.stringify([template, values]);
  useEffect(() => {
    if (text === "") {
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      write<Rendered>("POST", PathRender, { template, values }, stop.signal)
        .then((answer) => latest.current(answer))
        .catch(() => undefined); // the dry run reports the mistakes
    }, renderAfter);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
}
