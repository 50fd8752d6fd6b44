package portal

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/vedette-io/vedette/portal/api"
)

// watcher is a browser that shows a list, which the stream changes. A nil watcher shows nothing.
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

// heap returns how much memory the scripts of the page have, in bytes.
func (w *watcher) heap() (float64, error) {
	if w == nil {
		return 0, nil
	}
	return eval[float64](w.page, `performance.memory.usedJSHeapSize`)
}

// shown is what the page shows: the rows with their states, and the counts by state.
const shown = `({
  rows: [...document.querySelectorAll("tr[data-id]")].map((r) => r.dataset.id + " " + [...r.classList].find((c) => c.startsWith("of-")).slice(3)),
  counts: Object.fromEntries([...document.querySelectorAll(".pill")].map((p) => [p.querySelector(".pill-word")?.textContent ?? "All", p.querySelector("b").textContent])),
  badge: document.querySelector(".badge")?.textContent ?? "",
})`

// differs returns how many rows and counts of the page are not those of the API.
func (w *watcher) differs(ctx context.Context, base string) (n int, err error) {
	if w == nil {
		return 0, nil
	}
	list, err := watchedJobs(ctx, base, w.queue)
	if err != nil {
		return 0, err
	}
	page, err := eval[struct {
		Rows   []string
		Counts map[string]string
		Badge  string
	}](w.page, shown)
	if err != nil {
		return 0, err
	}
	for i := range max(len(list.Jobs), len(page.Rows)) {
		if i >= len(list.Jobs) || i >= len(page.Rows) || page.Rows[i] != fmt.Sprint(list.Jobs[i].ID, " ", list.Jobs[i].State) {
			n++
		}
	}
	for word, count := range page.Counts {
		want := list.States[word]
		if word == "All" {
			want = list.All
		}
		if count != strconv.Itoa(want.N) {
			n++
		}
	}
	if len(page.Counts) < 5 {
		return n, fmt.Errorf("the page shows the counts %v, the badge %q", page.Counts, page.Badge)
	}
	return n, nil
}

// watchedJobs returns the first page of the jobs of a queue.
func watchedJobs(ctx context.Context, base, queue string) (*api.JobList, error) {
	return read[api.JobList](ctx, http.DefaultClient, base+api.Prefix+"/jobs?queue="+queue)
}
