package jobview

import (
	"context"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"

	"github.com/vedette-io/vedette/wire"
)

// Limits of an Enricher.
const (
	podEntries = 1000             // entries of the transition index for a page
	keptExtras = 20_000           // rows, in each of two generations
	freshFor   = 20 * time.Second // how long the result for an open job is cached
	sameStart  = 10 * time.Second // pods of one attempt are created within this time
)

// Enricher reads the columns of rows that are not in the index. It caches the newest results in
// bounded memory. Any goroutine may use it.
type Enricher struct {
	history *history.History

	mu         sync.Mutex
	young, old map[int64]kept
}

// kept is the cached result for a row in one state.
type kept struct {
	version wire.Version
	state   job.State
	reason  string
	at      time.Time
	extra   Extra
}

// NewEnricher returns an Enricher that reads a history.
func NewEnricher(h *history.History) *Enricher {
	return &Enricher{history: h, young: map[int64]kept{}, old: map[int64]kept{}}
}

// Extras returns the columns of rows that are not in the index, by the IDs of the jobs. at is the
// instant that the rows describe; zero is now. It runs at most seven queries for any number of
// rows.
//
// Errors: those of the database. The result then has the cached values.
func (e *Enricher) Extras(ctx context.Context, rows []jobindex.Row, at time.Time) (map[int64]Extra, error) {
	now := time.Now()
	all := make(map[int64]Extra, len(rows))
	var ask []*jobindex.Row
	for i := range rows {
		r := &rows[i]
		if x, ok := e.kept(r, now); ok && at.IsZero() {
			all[r.ID] = x
		} else {
			ask = append(ask, r)
		}
	}
	if len(ask) == 0 {
		return all, nil
	}
	some, err := e.read(ctx, ask, at)
	if err != nil {
		return all, err
	}
	for _, r := range ask {
		all[r.ID] = some[r.ID]
		if at.IsZero() {
			e.keep(r, now, some[r.ID])
		}
	}
	return all, nil
}

func (e *Enricher) kept(r *jobindex.Row, now time.Time) (Extra, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k, ok := e.young[r.ID]
	if !ok {
		k, ok = e.old[r.ID]
	}
	ok = ok && k.version == r.Version && k.state == r.State && k.reason == r.Reason && (!r.Open() && now.Sub(r.Ended) > time.Minute || now.Sub(k.at) < freshFor)
	return k.extra, ok
}

func (e *Enricher) keep(r *jobindex.Row, now time.Time, x Extra) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.young) >= keptExtras {
		e.young, e.old = map[int64]kept{}, e.young
	}
	e.young[r.ID] = kept{r.Version, r.State, r.Reason, now, x}
}

// read reads the extras of some rows.
func (e *Enricher) read(ctx context.Context, rows []*jobindex.Row, at time.Time) (map[int64]Extra, error) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	own, err := e.history.ObjectsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	owned := objectsByID(own)
	byID := owned
	if at.IsZero() {
		jobs, err := e.history.JobsByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		byID = objectsByID(jobs)
	}
	var withPods []history.Object
	for _, r := range rows {
		if o := byID[r.ID]; o != nil && !r.State.BeforeStart() {
			withPods = append(withPods, *o)
		}
	}
	pods, err := e.history.PodsOf(ctx, withPods, podEntries)
	if err != nil {
		return nil, err
	}
	all := make(map[int64]Extra, len(rows))
	chosen := map[int64]history.Object{} // by the ID of the job
	var read []history.Object
	for _, r := range rows {
		x := Extra{}
		if o := byID[r.ID]; o != nil && (o.Since.Equal(r.Since) || r.State.Final() && o.Presence == history.Deleted) {
			x.Raw, x.Message = o.Raw, o.Message
			if own := owned[r.ID]; own != nil {
				x.ownRaw, x.ownMessage = own.Raw, own.Message
			}
		}
		var pod *history.Object
		if pod, x.MorePods = choose(r, pods[r.ID], at); pod != nil {
			chosen[r.ID] = *pod
			read = append(read, *pod)
		}
		all[r.ID] = x
	}
	bodies, err := e.history.Bodies(ctx, read)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		pod, found := chosen[r.ID]
		if !found {
			continue
		}
		x := all[r.ID]
		set := NewPodSet([]history.Object{pod}, bodies, nil)
		if nodes := set.Nodes(); len(nodes) > 0 {
			x.Node = nodes[0]
		}
		x.Cause, x.ExitCode = set.Failure()
		if own := job.EndingOfJob(r.Reason, x.Message, nil); own.EndsPods() {
			x.Cause, x.ExitCode = string(own.Cause), nil
		}
		all[r.ID] = x
	}
	return all, nil
}

// objectsByID returns objects by their IDs.
func objectsByID(all []history.Object) map[int64]*history.Object {
	byID := make(map[int64]*history.Object, len(all))
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	return byID
}

// choose returns the pod to show for a job, and the number of similar pods. For a failed job it is
// the first pod that failed in the last attempt.
func choose(r *jobindex.Row, pods []history.Object, at time.Time) (*history.Object, int) {
	var best *history.Object
	others := -1
	failed := r.State == job.Failed || r.State == job.Restarting
	for i := range pods { // the newest first
		p := &pods[i]
		if !at.IsZero() && (p.Created.After(at) || failed && p.Since.After(at)) {
			continue
		}
		if best != nil && best.Created.Sub(p.Created) > sameStart {
			break
		}
		s := job.State(p.State)
		switch {
		case failed && s != job.Failed && s != job.Restarting && s != job.Deleted:
		case !failed && s.Waits():
		case best == nil || failed && endedBefore(p, best):
			best = p
			others++
		default:
			others++
		}
	}
	return best, max(others, 0)
}

// endedBefore reports whether the end of a failed pod precedes that of another, in the order of
// job.Ending.Compare.
func endedBefore(p, other *history.Object) bool {
	one, two := endingOf(p), endingOf(other)
	return one.Compare(&two) < 0
}

// endingOf returns what the row of a pod shows about its ending.
func endingOf(p *history.Object) job.Ending {
	e := job.RecordedEnding(p.Reason, p.Message)
	e.At, e.Seen, e.Pod = p.Since, p.Since, p.Name
	return e
}
