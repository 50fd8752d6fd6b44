package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// recordedJobs reads jobs from the history in a database.
type recordedJobs struct {
	h     *historyReader
	every time.Duration // between two looks at the database
	ticks sync.WaitGroup
}

func (r *recordedJobs) close() {
	r.ticks.Wait()
	r.h.Close()
}

// list reads pages until the limit of the query is reached.
func (r *recordedJobs) list(ctx context.Context, q jobQuery, now time.Time) (l jobList, err error) {
	f := history.Filter{
		Cluster: q.cluster, Namespace: q.namespace, Queue: q.queue, Submitter: q.submitter, States: q.states, Since: q.since,
	}
	if f.Types, err = (&readOptions{}).types(ctx, r.h, q.types); err != nil {
		return l, err
	}
	for _, t := range f.Types {
		if !isJobType(t.String()) {
			return l, fmt.Errorf("%s is no type of jobs; `vedette history %[1]s` lists what is recorded of it", t)
		}
	}
	if f.Labels, err = parseLabels(q.labels); err != nil {
		return l, err
	}
	p := history.Paging{After: q.after, Limit: pageLimit(q.limit)}
	for {
		page, err := r.h.ListJobs(ctx, f, p, now)
		if err != nil {
			return l, err
		}
		if page.Open != nil {
			l.open = countsOf(page.Open)
		}
		l.jobs, l.next = append(l.jobs, page.Items...), page.Next
		p.After = page.Next
		if page.Next == "" || q.limit > 0 && len(l.jobs) >= q.limit {
			break
		}
		if q.limit > 0 {
			p.Limit = min(p.Limit, q.limit-len(l.jobs))
		}
	}
	if l.next != "" { // the rest of the list may be empty
		rest, err := r.h.ListJobs(ctx, f, history.Paging{After: l.next, Limit: 1}, now)
		if l.more = len(rest.Items) > 0 || rest.Next != ""; !l.more {
			l.next = ""
		}
		return l, err
	}
	return l, nil
}

// changed returns a tick: databases are asked.
func (r *recordedJobs) changed(ctx context.Context, _ jobQuery) <-chan struct{} {
	ticks := make(chan struct{}, 1)
	r.ticks.Go(func() {
		tick := time.NewTicker(r.every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				select {
				case ticks <- struct{}{}:
				default:
				}
			}
		}
	})
	return ticks
}

func countsOf(states map[state.State]int) map[string]int {
	counts := map[string]int{}
	for s, n := range states {
		counts[string(s)] = n
	}
	return counts
}
