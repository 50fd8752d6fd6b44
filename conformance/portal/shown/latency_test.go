package shown_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/conformance/portal/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// listener follows the stream in the page, and records when changes arrive, and when rows
// change.
const listener = `window.arrived = []; window.drawn = [];
new MutationObserver((all) => {
  const now = Date.now();
  for (const row of new Set(all.map((m) => (m.target.closest ? m.target : m.target.parentElement)?.closest("tr.row")))) {
    if (row) drawn.push({ job: +row.dataset.id, state: row.className.match(/of-(\w+)/)[1], at: now });
  }
}).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["class"] });
const source = new EventSource("/api/v1/stream");
source.addEventListener("changes", (e) => {
  const now = Date.now();
  for (const c of JSON.parse(e.data).changes) arrived.push({ uid: c.job.uid, version: +c.job.version, job: c.job.id, state: c.job.state, position: c.position, seen: Date.parse(c.seen), at: now });
});
new Promise((done) => { source.onopen = () => done(true); })`

// arrival is the arrival of a change in the browser. Times are in milliseconds.
type arrival struct {
	UID      string
	Version  int64
	Job      int64
	State    string
	Position int64
	Seen, At int64
}

// drawing is a change of a row of the list.
type drawing struct {
	Job   int64
	State string
	At    int64
}

// revision names a revision of a job.
type revision struct {
	uid     string
	version int64
}

// journey records when transitions pass each part between the API server and the browser.
type journey struct {
	t    *testing.T
	page *browser.Tab
	end  func()

	mu       sync.Mutex
	server   map[revision]time.Time // arrival at a watch beside the recorder
	streamed map[int64]time.Time    // arrival of a position at a client of the stream
}

// travel starts the recording.
func travel(s *stage.Stage, p *browser.Tab) *journey {
	s.T.Helper()
	j := &journey{t: s.T, page: p, server: map[revision]time.Time{}, streamed: map[int64]time.Time{}}
	if got := p.Text(listener); got != "true" {
		s.T.Fatal(got)
	}
	ctx, cancel := context.WithCancel(s.T.Context())
	list, err := s.Client.BatchV1().Jobs(stage.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	w, err := s.Client.BatchV1().Jobs(stage.Namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		s.T.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for e := range w.ResultChan() {
			if job, ok := e.Object.(*batchv1.Job); ok {
				j.note(func(now time.Time) { j.server[revision{string(job.UID), versionOf(job.ResourceVersion)}] = now })
			}
		}
	})
	work.Go(func() {
		err := stream(ctx, s.Base+api.Prefix+api.PathStream, func(some *api.Changes) {
			j.note(func(now time.Time) {
				for _, c := range some.Changes {
					j.streamed[c.Position] = now
				}
			})
		})
		if ctx.Err() == nil {
			s.T.Errorf("the stream ended: %v", err)
		}
	})
	j.end = sync.OnceFunc(func() { cancel(); w.Stop(); work.Wait() })
	s.T.Cleanup(j.end)
	return j
}

// stream follows the changes of a portal until ctx ends.
func stream(ctx context.Context, url string, each func(*api.Changes)) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if err := client.Authorize(r); err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		var some api.Changes
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &some) == nil {
			each(&some)
		}
	}
}

func (j *journey) note(f func(now time.Time)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(time.Now())
}

func versionOf(text string) (v int64) {
	_, _ = fmt.Sscan(text, &v)
	return v
}

// change makes n transitions of the running jobs, one every 25 ms.
func change(s *stage.Stage, n int) {
	pace := time.NewTicker(25 * time.Millisecond) // an input: the pace of the writer
	defer pace.Stop()
	var work sync.WaitGroup
	for i := range n {
		<-pace.C
		name, ready := fmt.Sprintf("equal-%03d", i*7%equalJobs), i/equalJobs%2
		if i*7%equalJobs%10 == 0 {
			continue // it has ended
		}
		work.Go(func() {
			if err := status(s, name, map[string]any{"ready": ready}); err != nil {
				s.T.Errorf("%s: %v", name, err)
			}
		})
	}
	work.Wait()
}

// hops are the delays of transitions, by the part that causes them.
type hops map[string][]time.Duration

func (h hops) add(hop string, from, to time.Time) { h[hop] = append(h[hop], max(0, to.Sub(from))) }

// percentile returns the delay that a fraction of the transitions does not exceed.
func (h hops) percentile(hop string, share float64) time.Duration {
	all := slices.Sorted(slices.Values(h[hop]))
	if len(all) == 0 {
		return 0
	}
	return all[int(float64(len(all)-1)*share)].Round(time.Millisecond)
}

// The hops in order, and the sum.
const (
	toRecorder = "API server to recorder"
	toFeed     = "recorder to feed"
	toClient   = "feed to a client of the stream"
	toBrowser  = "client to browser"
	toRow      = "browser to row"
	overall    = "API server to browser"
)

func (h hops) String() string {
	var b strings.Builder
	for _, hop := range []string{toRecorder, toFeed, toClient, toBrowser, toRow, overall} {
		fmt.Fprintf(&b, "\n%-32s %4d transitions, median %6v, 99 %% %6v, last %6v", hop, len(h[hop]), h.percentile(hop, 0.5), h.percentile(hop, 0.99), h.percentile(hop, 1))
	}
	return b.String()
}

// hops waits until the browser has all transitions of the API server, and returns the delays.
func (j *journey) hops(database string) hops {
	t := j.t
	t.Helper()
	var all []arrival
	patience.Until(t, "the browser has all transitions", func() string {
		if err := json.Unmarshal([]byte(j.page.Text("JSON.stringify(arrived)")), &all); err != nil {
			return err.Error()
		}
		last := map[string]int64{}
		for _, a := range all {
			last[a.UID] = max(last[a.UID], a.Version)
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		for r := range j.server {
			if last[r.uid] < r.version {
				return fmt.Sprintf("%s is at %d, want %d", r.uid, last[r.uid], r.version)
			}
		}
		return ""
	})
	j.end()
	var rows []drawing
	if err := json.Unmarshal([]byte(j.page.Text("JSON.stringify(drawn)")), &rows); err != nil {
		t.Fatal(err)
	}
	numbered := numberedAt(t, database)
	h := hops{}
	for _, a := range all {
		server, known := j.server[revision{a.UID, a.Version}]
		streamed, ok := j.streamed[a.Position]
		at, has := numbered[a.Position]
		if !known || !ok || !has || a.Seen <= 0 { // a correction has no time
			continue
		}
		seen, arrived := time.UnixMilli(a.Seen), time.UnixMilli(a.At)
		h.add(toRecorder, server, seen)
		h.add(toFeed, seen, at)
		h.add(toClient, at, streamed)
		h.add(toBrowser, streamed, arrived)
		h.add(overall, server, arrived)
		for _, r := range rows {
			if r.Job == a.Job && r.State == a.State && r.At >= a.At {
				h.add(toRow, arrived, time.UnixMilli(r.At))
				break
			}
		}
	}
	return h
}

// numberedAt returns when positions of the feed were assigned.
func numberedAt(t *testing.T, database string) map[int64]time.Time {
	t.Helper()
	db, err := sqldb.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[int64]time.Time{}
	err = db.Query(t.Context(), "SELECT position, recorded_at FROM feed", nil, func(rows *sql.Rows) error {
		var position, at int64
		err := rows.Scan(&position, &at)
		all[position] = time.UnixMicro(at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
