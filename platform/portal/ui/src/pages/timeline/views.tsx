// The predefined views: filters with a name, the same as on the page of jobs.

import { second } from "../../core/clock";
import { isKey } from "../../core/filter";
import { writtenTime } from "../../core/instant";
import { here, query } from "../../core/router";
import { midnight } from "../../core/zone";
import { words } from "./words";

// today returns the beginning of the day in the form of a URL.
function today(now: number): string {
  return writtenTime(midnight(now));
}

// filtersIn returns the filters of a query, in a form that can be compared.
function filtersIn(q: URLSearchParams): string {
  const out = new URLSearchParams();
  for (const [key, value] of q) {
    if (key !== "window" && (isKey(key) || key === "q" || key === "mine")) {
      out.append(key, value);
    }
  }
  out.sort();
  return out.toString();
}

// Views shows the views, and which one matches the URL. The shown interval does not
// change.
export function Views() {
  const w = words.value.views;
  const day = today(Math.floor(second.value / 60_000) * 60_000);
  const views: readonly (readonly [string, Record<string, string>])[] = [
    [w.all, {}], [w.mine, { mine: "true" }], [w.waiting, { state: "Queued", waited: ">30m" }], [w.failed, { state: "Failed", ended: ">=" + day }],
  ];
  const now = here.value.query;
  const current = filtersIn(now);
  return (
    <nav class="views" aria-label={w.label}>
      {views.map(([name, filters]) => {
        const q = new URLSearchParams(filters);
        const own = filtersIn(q);
        for (const key of ["from", "to", "group", "sort", "at"]) {
          const value = now.get(key);
          if (value !== null) {
            q.set(key, value);
          }
        }
        return <a key={name} class="view" href={"/timeline" + query(q)} aria-current={own === current ? "true" : undefined}>{name}</a>;
      })}
    </nav>
  );
}
