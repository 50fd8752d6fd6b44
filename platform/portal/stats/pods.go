package stats

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
)

const (
	// mostEnds is the maximum number of cached ends of pods.
	mostEnds = 500_000
	// endsAtOnce is the number of ends after which a request stops reading. The next request
	// continues.
	endsAtOnce = 20_000
	// A run is the set of hours that one query reads: hours with about this many ends, at most
	// maxRun hours.
	runEnds = 1000
	maxRun  = 7 * 24
	// maxHours is the maximum number of hours of a window.
	maxHours = 400 * 24
)

// errManyPods reports a run with too many pods.
var errManyPods = errors.New("too many pods")

// podSet has the ends of pods up to an instant for one request. It holds a lock until done is
// called.
type podSet struct {
	hours *podHours
	at    time.Time
	since []time.Time // for each window: earlier ends are not cached
	done  func()
}

// of returns the ends of the pods that a job controls.
func (s *podSet) of(r *jobindex.Row) []*podEnd {
	if s == nil {
		return nil
	}
	return s.until(s.hours.byOwner[ownerKey(r.ClusterUID, r.Namespace, r.UID)])
}

// until returns the ends before the instant. The ends must be in the order of their times.
func (s *podSet) until(ends []*podEnd) []*podEnd {
	n := len(ends)
	for n > 0 && !ends[n-1].at.Before(s.at) {
		n--
	}
	return ends[:n]
}

// podReader reads the ends of pods, and caches them by hour.
type podReader struct {
	history *history.History
	now     func() time.Time
	source  func(ctx context.Context, from, to int64) ([]podEnd, error) // reads the ends of some hours

	reading sync.Mutex // of the request that reads
	length  int64      // hours of the next run; only the reading request uses it
	mu      sync.RWMutex
	hours   *podHours
}

func newPodReader(now func() time.Time) *podReader {
	p := &podReader{now: now, hours: newPodHours(mostEnds), length: 1}
	p.source = p.read
	return p
}

// in returns the ends of pods in some windows up to an instant; nil if pods are not recorded. It
// reads the newest hours first and about endsAtOnce ends, so an answer may lack earlier ones. Only
// one request reads at a time. Others use the cached ends.
func (p *podReader) in(ctx context.Context, at time.Time, windows ...Window) (*podSet, error) {
	if p.history == nil {
		return nil, nil
	}
	types, err := p.history.Types(ctx)
	if err != nil || !slices.ContainsFunc(types, func(t history.Type) bool { return t.Group == "" && t.Resource == "pods" }) {
		return nil, err
	}
	if err := p.fill(ctx, at, windows); err != nil {
		return nil, err
	}
	p.mu.RLock()
	s := &podSet{hours: p.hours, at: at, done: p.mu.RUnlock}
	for _, w := range windows {
		s.since = append(s.since, p.hours.since(w.until(at)))
	}
	return s, nil
}

// fill reads the missing hours of windows.
func (p *podReader) fill(ctx context.Context, at time.Time, windows []Window) error {
	if !p.reading.TryLock() {
		return nil
	}
	defer p.reading.Unlock()
	left := endsAtOnce
	for _, w := range windows {
		if w = w.until(at); w.empty() {
			continue
		}
		var err error
		if left, err = p.fillWindow(ctx, w, left); err != nil {
			return err
		}
	}
	return nil
}

// fillWindow reads hours of a window, the last ones first, until it has read left ends. It returns
// how many ends remain.
func (p *podReader) fillWindow(ctx context.Context, w Window, left int) (int, error) {
	first, last := hoursOf(w)
	first = max(first, last-maxHours)
	now := p.now()
	for hour := last; hour >= first && left > 0; {
		fresh, full := p.state(hour, now)
		if full {
			return 0, nil // earlier ones would not count
		}
		if fresh {
			hour--
			continue
		}
		from := hour
		for from > first && hour-from+1 < p.length {
			if fresh, _ := p.state(from-1, now); fresh {
				break
			}
			from--
		}
		ends, err := p.source(ctx, from, hour+1)
		if errors.Is(err, errManyPods) && from < hour {
			p.length = max(1, (hour-from+1)/8)
			continue
		}
		if errors.Is(err, errManyPods) {
			p.fillHour(hour, now)
			return 0, nil
		}
		if err != nil {
			p.length = max(1, p.length/2) // after a canceled read, runs are shorter, so the next request makes progress
			return 0, err
		}
		if !p.put(from, hour, ends, now) {
			return 0, nil
		}
		left -= len(ends)
		if n := hour - from + 1; len(ends) > runEnds {
			p.length = max(1, n/2)
		} else if len(ends) < runEnds/2 && n == p.length {
			p.length = min(2*n, maxRun)
		}
		hour = from - 1
	}
	return left, nil
}

// state reports whether an hour does not need to be read, and whether it has too many ends.
func (p *podReader) state(hour int64, now time.Time) (fresh, full bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	fresh = p.hours.fresh(hour, now)
	return fresh, fresh && p.hours.full(hour)
}

// fillHour marks an hour that has too many ends.
func (p *podReader) fillHour(hour int64, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hours.fill(hour, now)
}

// put caches the ends of hours, the last ones first. It returns false if there are too many.
func (p *podReader) put(from, to int64, ends []podEnd, now time.Time) bool {
	byHour := map[int64][]podEnd{}
	for _, e := range ends {
		byHour[e.at.Unix()/3600] = append(byHour[e.at.Unix()/3600], e)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for hour := to; hour >= from; hour-- {
		if !p.hours.put(hour, byHour[hour], now) {
			return false
		}
	}
	return true
}

// read returns the ends of some hours.
//
// Errors: errManyPods; those of the database.
func (p *podReader) read(ctx context.Context, from, to int64) ([]podEnd, error) {
	most := mostEnds
	if to-from > 1 {
		most = 4 * runEnds // a shorter run follows
	}
	f := history.Filter{
		Types: []history.Type{{Resource: "pods"}}, States: []job.State{job.Succeeded, job.Failed}, Since: hourAt(from), Until: hourAt(to),
	}
	var changes []history.Change
	for c, err := range history.All(ctx, history.Paging{Limit: 1000, Order: history.OldestFirst}, func(ctx context.Context, paging history.Paging) (history.Page[history.Change], error) {
		return p.history.ListTransitions(ctx, f, paging)
	}) {
		if err != nil {
			return nil, err
		}
		if changes = append(changes, c); len(changes) > most {
			return nil, errManyPods
		}
	}
	return p.ends(ctx, changes)
}

// ends returns the ends that transitions of pods show, with the facts from the bodies of the pods.
func (p *podReader) ends(ctx context.Context, changes []history.Change) ([]podEnd, error) {
	ends := make([]podEnd, 0, len(changes))
	for some := range slices.Chunk(changes, 500) {
		objects := make([]history.Object, len(some))
		for i := range some {
			objects[i] = some[i].Object
		}
		bodies, err := p.history.Bodies(ctx, objects)
		if err != nil {
			return nil, err
		}
		for i := range some {
			ends = append(ends, endOfPod(&some[i], bodies[some[i].Object.ID]))
		}
	}
	return ends, nil
}

// endOfPod returns the end that a transition of a pod shows. Without a body, the reason and the
// message of the transition decide.
func endOfPod(c *history.Change, body []byte) podEnd {
	pod := job.ParseObject(body)
	e := podEnd{
		id: c.Object.ID, at: c.Happened, owner: ownerKey(c.Object.ClusterUID, c.Object.Namespace, c.Object.Owner.UID), node: strings.Clone(pod.Text("spec", "nodeName")), failed: c.To == string(job.Failed),
	}
	if !e.failed {
		return e
	}
	ending := job.FirstEnding(pod)
	if ending == nil {
		recorded := job.RecordedEnding(c.Reason, c.Message)
		ending = &recorded
	}
	e.cause, e.stopped = strings.Clone(ending.Word()), ending.Stopped()
	return e
}
