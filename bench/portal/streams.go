package portal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/platform/feed"
)

// Figures of streams.
const (
	Lost       = "lost"        // fast clients that did not get every transition, in order
	Wrong      = "wrong"       // slow clients that missed a transition without a reset
	Resets     = "resets"      // reloads of slow clients
	Reconnects = "again"       // reconnects of slow clients
	Differs    = "differs"     // rows and counts of the browser that differ from the API
	Equal      = "equal"       // s until they were equal, after the portal had read the last change
	HeapGrowth = "heap-growth" // B live at the end beyond the index, increase since one fifth of the time
	Routines   = "routines"    // goroutines at the end, increase since one fifth of the time
	ScriptHeap = "script-heap" // B of the browser's scripts at the end, increase since one fifth of the time
	PerSecond  = "per-second"  // transitions per second
	Megabytes  = "sent"        // B that the portal sent per second
)

// Streams measures many clients of the stream of a portal with one browser, while a recorder
// commits transitions. Task.N is the number of jobs, Task.Rate the number of transitions per
// second.
func Streams(ctx context.Context, t *contest.Task) (*contest.Result, error) {
	h, err := openHistory(ctx, t)
	if err != nil {
		return nil, err
	}
	p, err := Start(ctx, "serve", h.url)
	if err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	f := measure.Figures{}
	err = p.loaded(ctx, time.Now(), f)
	if err == nil {
		err = (&streaming{Task: t, history: h, portal: p, figures: f}).run(ctx)
	}
	if err = errors.Join(err, p.stop(), h.db.Close()); err != nil {
		return nil, err
	}
	floor, err := streamsFloor(ctx, t.Streams, f[Megabytes], min(t.Length, time.Minute))
	return &contest.Result{Figures: f, Parts: []contest.Part{floor}}, err
}

// streaming is one run of Streams.
type streaming struct {
	*contest.Task
	history *history
	portal  *Running
	figures measure.Figures
}

// moment is the resource usage of the portal at a time.
type moment struct {
	measure.Figures
	index  float64 // B
	script float64 // B of the browser's scripts
	at     time.Time
}

func (s *streaming) run(ctx context.Context) error {
	// The watched jobs must exist before the browser opens.
	rec := s.history.record(ctx, s.Rate)
	var w *watcher
	err := until(ctx, "the jobs that the browser shows", func() (bool, error) {
		list, err := watchedJobs(ctx, s.portal.URL, s.history.writer.Watched())
		return err == nil && list.Matching.N == watched, err
	})
	if err == nil {
		w, err = s.watch(ctx)
	}
	if err = errors.Join(err, rec.stop(ctx, s.history)); err != nil {
		return err
	}
	defer w.close()
	clients, err := follow(ctx, s.portal.URL, s.Streams, s.Slow)
	if err != nil {
		return err
	}
	if err = s.measure(ctx, w); err == nil {
		err = s.caughtUp(ctx, w, clients)
	}
	clients.stop()
	if err != nil {
		return err
	}
	return s.judge(ctx, clients)
}

// watch opens the browser, if there is one.
func (s *streaming) watch(ctx context.Context) (*watcher, error) {
	if s.Paints == 0 {
		return nil, nil
	}
	return openWatcher(ctx, s.portal.URL, s.history.writer.Watched())
}

// measure waits while transitions are committed, and measures the portal after a fifth of the time
// and at the end.
func (s *streaming) measure(ctx context.Context, w *watcher) error {
	rec := s.history.record(ctx, s.Rate)
	var all [3]moment
	var err error
	for i, share := range []time.Duration{0, s.Length / 5, s.Length * 4 / 5} {
		select {
		case <-time.After(share):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), rec.stop(ctx, s.history))
		}
		if all[i], err = s.moment(ctx, w); err != nil {
			return errors.Join(err, rec.stop(ctx, s.history))
		}
	}
	f, early, late := s.figures, &all[1], &all[2]
	seconds := late.at.Sub(all[0].at).Seconds()
	f[Cores] = (late.Figures[measure.CPU] - all[0].Figures[measure.CPU]) / seconds
	f[HeapGrowth] = late.Figures[measure.Heap] - late.index - early.Figures[measure.Heap] + early.index
	f[Routines] = late.Figures[measure.Goroutines] - early.Figures[measure.Goroutines]
	f[ScriptHeap] = late.script - early.script
	f[measure.Heap], f[measure.Peak], f[RSS] = late.Figures[measure.Heap], late.Figures[measure.Peak], late.Figures[RSS]
	err = rec.stop(ctx, s.history)
	f[PerSecond] = float64(rec.written) / seconds
	return err
}

func (s *streaming) moment(ctx context.Context, w *watcher) (m moment, err error) {
	if m.Figures, err = s.portal.Usage(ctx, true); err != nil {
		return m, err
	}
	m.at = time.Now()
	if m.index, err = s.portal.metric(ctx, "vedette_portal_index_bytes"); err == nil {
		m.script, err = w.heap()
	}
	return m, err
}

// metric returns a metric of the portal.
func (r *Running) metric(ctx context.Context, name string) (float64, error) {
	body, err := get(ctx, http.DefaultClient, r.URL+"/metrics")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(body) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
		}
	}
	return 0, fmt.Errorf("the portal has no metric %s", name)
}

// caughtUp waits until the portal has sent everything and fast clients have received it, and
// compares the browser with the API. A client that has not received everything in that time
// counts as lost.
func (s *streaming) caughtUp(ctx context.Context, w *watcher, clients *followers) error {
	head, err := feed.Head(ctx, s.history.db)
	if err != nil {
		return err
	}
	err = until(ctx, "the portal reads the feed", func() (bool, error) {
		at, err := s.portal.metric(ctx, "vedette_portal_feed_position")
		return int64(at) >= int64(head), err
	})
	if err != nil {
		return err
	}
	// The last changes are in transit, and this machine may be busy.
	begun := time.Now()
	soon, cancel := context.WithTimeout(ctx, shownWithin)
	defer cancel()
	var differs []string
	err = until(soon, "the browser shows the same as the API", func() (bool, error) {
		differs, err = w.differs(ctx, s.portal.URL)
		return len(differs) == 0, err
	})
	s.figures[Differs], s.figures[Equal] = float64(len(differs)), time.Since(begun).Seconds()
	if len(differs) > 0 {
		slog.Warn("the browser differs from the API", "differences", differs)
		err = nil
	}
	if err != nil {
		return err
	}
	err = until(soon, "the clients have the last change", func() (bool, error) { return clients.behind(int64(head)) == 0, nil })
	if n := clients.behind(int64(head)); n > 0 && ctx.Err() == nil {
		slog.Warn("clients have not received the last change", "clients", n)
		return nil
	}
	return err
}

// judge compares what clients have received with the feed.
func (s *streaming) judge(ctx context.Context, clients *followers) error {
	f := s.figures
	first := int64(1) << 62
	for _, c := range clients.all {
		first = min(first, c.from)
	}
	var positions []int64
	for t, err := range feed.Read(ctx, s.history.db, feed.Position(first)) {
		if err != nil {
			return err
		}
		positions = append(positions, int64(t.Position))
	}
	sums := map[int64][]uint64{}
	bytes := int64(0)
	for i, c := range clients.all {
		bytes += c.bytes
		f[Reconnects] += float64(c.opened - 1)
		if sums[c.from] == nil {
			sums[c.from] = sumsOf(positions, c.from)
		}
		expected := sums[c.from]
		exact := c.err == nil && c.wrong == 0 && c.changes < len(expected) && c.sum == expected[c.changes]
		switch {
		case c.slow && c.resets > 0:
			f[Resets] += float64(c.resets)
			if c.err != nil || c.wrong > 0 || c.loads != c.resets {
				f[Wrong]++
			}
		case c.slow && !exact:
			f[Wrong]++
		case !c.slow && (!exact || c.changes != len(expected)-1 || c.resets > 0):
			f[Lost]++
		}
		if (!exact || c.err != nil) && c.resets == 0 {
			slog.Warn("a client differs from the feed", "client", i, "slow", c.slow, "from", c.from, "changes", c.changes, "of", len(expected)-1, "resets", c.resets, "wrong", c.wrong, "err", c.err)
		}
	}
	f[Megabytes] = float64(bytes) / s.Length.Seconds()
	for _, name := range []string{Lost, Wrong, Resets, Reconnects} {
		f[name] += 0 // adds the figure even if it is 0
	}
	return nil
}

// sumsOf returns the hashes of the positions after from: of none, of the first one, and so
// on.
func sumsOf(positions []int64, from int64) []uint64 {
	all := []uint64{fnvBegin}
	for _, p := range positions {
		if p > from {
			all = append(all, sumOf(all[len(all)-1], p))
		}
	}
	return all
}

// shownWithin is the maximum time for the browser to show the last changes.
const shownWithin = 20 * time.Second

// watched is the number of jobs that the browser shows.
const watched = 40
