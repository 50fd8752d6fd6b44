package portal

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// watcher is a browser that shows a list with updates from the stream. A nil watcher shows
// nothing.
type watcher struct {
	browser *browser
	page    *tab
	queue   string
}

// openWatcher opens the list of the jobs of a queue.
func openWatcher(ctx context.Context, base, queue string) (*watcher, error) {
	b, err := openBrowser(ctx)
	if err != nil {
		return nil, err
	}
	w := &watcher{browser: b, queue: queue}
	if w.page, err = b.tab(); err == nil {
		err = w.page.open(ctx, base+"/jobs?window=all&queue="+queue)
	}
	if err != nil {
		b.end()
		return nil, err
	}
	return w, nil
}

func (w *watcher) close() {
	if w != nil {
		w.browser.end()
	}
}

// heap returns the live memory of the page's scripts, in bytes.
func (w *watcher) heap() (float64, error) {
	if w == nil {
		return 0, nil
	}
	if err := chromedp.Run(w.page.ctx, heapprofiler.CollectGarbage()); err != nil {
		return 0, err
	}
	return eval[float64](w.page, `performance.memory.usedJSHeapSize`)
}

// shown returns the rows of the page with their states, and the counts by state.
const shown = `({
  rows: [...document.querySelectorAll("tr[data-id]")].map((r) => r.dataset.id + " " + [...r.classList].find((c) => c.startsWith("of-")).slice(3)),
  counts: Object.fromEntries([...document.querySelectorAll(".pill")].map((p) => [p.querySelector(".pill-word")?.textContent ?? "All", p.querySelector("b").textContent])),
  badge: document.querySelector(".badge")?.textContent ?? "",
})`

// differs returns the rows and counts of the page that differ from the API.
func (w *watcher) differs(ctx context.Context, base string) (all []string, err error) {
	if w == nil {
		return nil, nil
	}
	list, err := watchedJobs(ctx, base, w.queue)
	if err != nil {
		return nil, err
	}
	page, err := eval[struct {
		Rows   []string
		Counts map[string]string
		Badge  string
	}](w.page, shown)
	if err != nil {
		return nil, err
	}
	var want []string
	for i := range list.Jobs {
		want = append(want, fmt.Sprint(list.Jobs[i].ID, " ", list.Jobs[i].State))
	}
	for i := range max(len(want), len(page.Rows)) {
		if i >= len(want) || i >= len(page.Rows) || page.Rows[i] != want[i] {
			all = append(all, fmt.Sprintf("row %d: %q, want %q (%s)", i, at(page.Rows, i), at(want, i), page.Badge))
		}
	}
	for _, word := range slices.Sorted(maps.Keys(page.Counts)) {
		n := list.States[word].N
		if word == "All" {
			n = list.All.N
		}
		if page.Counts[word] != strconv.Itoa(n) {
			all = append(all, fmt.Sprintf("%s: %s, want %d (%s)", word, page.Counts[word], n, page.Badge))
		}
	}
	if len(page.Counts) < 5 {
		err = fmt.Errorf("the page shows the counts %v, the badge %q", page.Counts, page.Badge)
	}
	return all, err
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return ""
}

// watchedJobs returns the first page of the jobs of a queue.
func watchedJobs(ctx context.Context, base, queue string) (*api.JobList, error) {
	return read[api.JobList](ctx, http.DefaultClient, base+api.Prefix+"/jobs?queue="+queue)
}
