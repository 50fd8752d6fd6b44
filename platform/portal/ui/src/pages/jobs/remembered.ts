// Stores the list for the pages of its jobs, which show the place in it and the neighbors.

import { useEffect } from "preact/hooks";
import { count } from "../../core/format";
import { rememberList } from "../../core/openedlist";
import { here } from "../../core/router";
import { asked } from "./query";
import type { List } from "./useList";

// useRemembered stores the shown rows, in their order.
export function useRemembered(list: List): void {
  const { view, page } = list;
  const query = here.value.query.toString();
  useEffect(() => {
    if (!view || !page) {
      return;
    }
    rememberList({
      query, params: asked(new URLSearchParams(query)).toString(), first: page.first ?? 0, total: count(view.counts.matching),
      jobs: view.rows.map((r) => ({ cluster: r.job.cluster, uid: r.job.uid })), next: page.next ?? "", previous: page.previous ?? "",
    });
  }, [view?.rows, page, query]);
}
