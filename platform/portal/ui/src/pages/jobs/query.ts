// The API request of the list's URL.

import { parseFilter } from "../../core/filter";
import type { Filter } from "../../core/filter";

// firstWindow is the time window of the list if the URL names none.
export const firstWindow = "24h";

// windows are the choices; "all" is no filter of the API.
export const windows = ["1h", "24h", "7d", "30d", "all"] as const;

const notAsked = new Set(["sel", "lang", "columns"]);

// asked returns the parameters of the list for the API.
export function asked(q: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams();
  for (const [key, value] of q) {
    if (!notAsked.has(key)) {
      params.append(key, value);
    }
  }
  if (!params.has("window")) {
    params.set("window", firstWindow);
  } else if (params.get("window") === "all") {
    params.delete("window");
  }
  return params;
}

// filterOf returns the filter that the API applies.
export function filterOf(q: URLSearchParams): Filter {
  return parseFilter(asked(q));
}

// onlyFilters returns the parameters that are filters, for counts.
export function onlyFilters(params: URLSearchParams): URLSearchParams {
  const f = new URLSearchParams(params);
  for (const key of ["sort", "limit", "after", "before"]) {
    f.delete(key);
  }
  return f;
}
