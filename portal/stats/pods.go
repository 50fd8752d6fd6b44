package stats

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/record/jobindex"
	"github.com/vedette-io/vedette/state"
)

const (
	// maxHours is how long windows are whose pods are counted.
	maxHours = 62 * 24
	// hoursAtOnce is how many hours are read at once. The reader keeps them if a later read ends
	// early, so the next request continues there.
	hoursAtOnce = 12
	// maxEnds is how many ends of pods are read at once, and mostEnds how many are kept.
	maxEnds  = 50_000
	mostEnds = 400_000
	// settled is how long after an hour its ends are read again, and endsFresh how often.
	settled   = 10 * time.Minute
	endsFresh = 15 * time.Second
)

// errManyPods reports more pods than are counted.
var errManyPods = errors.New("too many pods")

// podEnd is the end of a pod.
type podEnd struct {
	id     int64
	at     time.Time
	owner  string // UID of its controller
	node   string
	failed bool
	cause  string // of a failure: "OOMKilled", "Error, exit code 1"
}

// podSet are the ends of pods in a window.
type podSet struct {
	byOwner map[string][]podEnd
	byID    map[int64]podEnd
}

// of returns the ends of the pods of a job that controls them.
func (s *podSet) of(r *jobindex.Row) []podEnd {
	if s == nil {
		return nil
	}
	return s.byOwner[r.UID]
}

// podReader reads the ends of pods, and keeps them by the hour.
type podReader struct {
	history *history.History
	now     func() time.Time

	mu    sync.Mutex
	hours map[int64]*podHour
	kept  int
}

// podHour are the ends of an hour.
type podHour struct {
	ends   []podEnd
	readAt time.Time
}

// fresh reports whether an hour need not be read again.
func (h *podHour) fresh(hour int64, now time.Time) bool {
	if h == nil {
		return false
	}
	end := time.Unix((hour+1)*3600, 0).Add(settled)
	return h.readAt.After(end) || now.Sub(h.readAt) < endsFresh && !now.Before(h.readAt)
}

// in returns the ends of pods in some windows up to an instant; nil if pods are not recorded, or too many.
// One request at a time reads, and the others wait for it.
func (p *podReader) in(ctx context.Context, at time.Time, windows ...Window) (*podSet, error) {
	if p.history == nil {
		return nil, nil
	}
	types, err := p.history.Types(ctx)
	if err != nil || !slices.ContainsFunc(types, func(t history.Type) bool { return t.Group == "" && t.Resource == "pods" }) {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &podSet{byOwner: map[string][]podEnd{}, byID: map[int64]podEnd{}}
	for _, w := range windows {
		if err := p.add(ctx, s, w.until(at)); errors.Is(err, errManyPods) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	for _, ends := range s.byOwner {
		slices.SortFunc(ends, podEnd.compare)
	}
	return s, nil
}

// add adds the ends of a window.
func (p *podReader) add(ctx context.Context, s *podSet, w Window) error {
	first, last := w.From.Unix()/3600, w.To.Unix()/3600
	if last-first > maxHours {
		return errManyPods
	}
	now := p.now()
	for hour := first; hour <= last; hour++ {
		if p.hours[hour].fresh(hour, now) {
			continue
		}
		end := hour + 1
		for end <= last && end < hour+hoursAtOnce && !p.hours[end].fresh(end, now) {
			end++
		}
		if err := p.read(ctx, hour, end, now); err != nil {
			return err
		}
		hour = end - 1
	}
	for hour := first; hour <= last; hour++ {
		kept := p.hours[hour]
		if kept == nil {
			return errManyPods // they do not fit at once
		}
		for _, e := range kept.ends {
			if _, known := s.byID[e.id]; !known && w.has(e.at) {
				s.byID[e.id] = e
				s.byOwner[e.owner] = append(s.byOwner[e.owner], e)
			}
		}
	}
	return nil
}

// read reads the ends of some hours.
func (p *podReader) read(ctx context.Context, from, to int64, now time.Time) error {
	f := history.Filter{
		Types: []history.Type{{Resource: "pods"}}, States: []state.State{state.Succeeded, state.Failed},
		Since: time.Unix(from*3600, 0), Until: time.Unix(to*3600, 0),
	}
	var changes []history.Change
	for c, err := range history.All(ctx, history.Paging{Limit: 1000, Order: history.OldestFirst}, func(ctx context.Context, paging history.Paging) (history.Page[history.Change], error) {
		return p.history.ListTransitions(ctx, f, paging)
	}) {
		if err != nil {
			return err
		}
		if changes = append(changes, c); len(changes) > maxEnds {
			return errManyPods
		}
	}
	nodes, err := p.nodes(ctx, changes)
	if err != nil {
		return err
	}
	if p.kept += len(changes); p.kept > mostEnds || p.hours == nil {
		p.hours, p.kept = map[int64]*podHour{}, len(changes)
	}
	for hour := from; hour < to; hour++ {
		if old := p.hours[hour]; old != nil {
			p.kept -= len(old.ends)
		}
		p.hours[hour] = &podHour{readAt: now}
	}
	for _, c := range changes {
		hour := p.hours[c.Happened.Unix()/3600]
		if hour == nil {
			continue
		}
		e := podEnd{id: c.Object.ID, at: c.Happened, owner: c.Object.Owner.UID, node: nodes[c.Object.ID], failed: c.To == string(state.Failed)}
		if e.failed {
			e.cause = causeOf(&c.Transition)
		}
		hour.ends = append(hour.ends, e)
	}
	return nil
}

// nodes returns the nodes of pods by the IDs of the pods.
func (p *podReader) nodes(ctx context.Context, changes []history.Change) (map[int64]string, error) {
	all, words := map[int64]string{}, map[string]string{}
	for some := range slices.Chunk(changes, 500) {
		var objects []history.Object
		for _, c := range some {
			objects = append(objects, c.Object)
		}
		bodies, err := p.history.Bodies(ctx, objects)
		if err != nil {
			return nil, err
		}
		for id, body := range bodies {
			node := jobspec.Parse(body).Text("spec", "nodeName")
			if words[node] == "" {
				words[node] = strings.Clone(node)
			}
			all[id] = words[node]
		}
	}
	return all, nil
}

// compare orders ends by time. Clusters report whole seconds. Of the ends of one second, those by
// a signal come last: a job whose pod fails has its other pods terminated.
func (e podEnd) compare(other podEnd) int {
	signaled := func(cause string) int {
		if cause == "Error, exit code 143" || cause == "Error, exit code 137" {
			return 1
		}
		return 0
	}
	return cmp.Or(e.at.Compare(other.at), cmp.Compare(signaled(e.cause), signaled(other.cause)), cmp.Compare(e.cause, other.cause), cmp.Compare(e.id, other.id))
}

// causeOf returns the word for the cause of a failed pod.
func causeOf(t *history.Transition) string {
	word := t.Reason
	if (word == "" || word == "Error") && strings.HasPrefix(t.Message, "exit code ") && len(t.Message) < 20 {
		return "Error, " + t.Message
	}
	return word
}
