// A resource is an answer of the API that a component shows.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../api";
import { aborted, get, problem } from "./client";
import type { Params } from "./client";
import { serverNow } from "./clock";

// Resource is the state of an answer. The data of the last answer remains while a new one is
// loading, and after an error.
export interface Resource<T> {
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  // slow reports that the first answer takes longer than 150 ms.
  slow: boolean;
  // asOf is the time of the data, in milliseconds.
  asOf: number;
  reload: () => void;
}

interface State<T> {
  key: string;
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  slow: boolean;
  asOf: number;
}

const slowAfter = 150;

// Options configure how a resource is read.
export interface Options {
  params?: Params;
  // version reads again when it changes, and keeps the data meanwhile.
  version?: number | string;
  // keep shows the data of the old path until the new data has arrived.
  keep?: boolean;
}

// useResource reads a path of the API, and again when path or parameters change. An empty path
// reads nothing.
export function useResource<T>(path: string, options: Options = {}): Resource<T> {
  const params = options.params instanceof URLSearchParams ? options.params.toString() : JSON.stringify(options.params ?? {});
  const key = path + "?" + params;
  const [again, setAgain] = useState(0);
  const [state, set] = useState<State<T>>({ key, data: undefined, problem: undefined, loading: path !== "", slow: false, asOf: 0 });
  const current = useRef(key);
  current.current = key;

  useEffect(() => {
    if (path === "") {
      set({ key, data: undefined, problem: undefined, loading: false, slow: false, asOf: 0 });
      return;
    }
    const stop = new AbortController();
    set((s) => ({ ...s, key, data: s.key === key || options.keep ? s.data : undefined, problem: s.key === key ? s.problem : undefined, loading: true, slow: false }));
    const timer = setTimeout(() => set((s) => ({ ...s, slow: true })), slowAfter);
    get<T>(path, options.params, stop.signal)
      .then((data) => {
        set({ key, data, problem: undefined, loading: false, slow: false, asOf: serverNow() });
      })
      .catch((e: unknown) => {
        if (!aborted(e)) {
          set((s) => ({ ...s, problem: problem(e), loading: false, slow: false }));
        }
      })
      .finally(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, again, options.version]);

  const mine = state.key === key || options.keep === true;
  return {
    data: mine ? state.data : undefined, problem: mine ? state.problem : undefined,
    loading: mine ? state.loading : path !== "", slow: mine && state.slow, asOf: state.asOf,
    reload: () => setAgain((n) => n + 1),
  };
}
