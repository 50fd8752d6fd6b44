package joblist

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// Recorded reads jobs from the history in a database.
type Recorded struct {
	H     *source.History
	Every time.Duration // between two looks at the database
	ticks sync.WaitGroup
}

// Close waits for the ticks, which end with their context, and closes the history.
func (r *Recorded) Close() {
	r.ticks.Wait()
	r.H.Close()
}

// List reads pages until the limit of the query is reached.
func (r *Recorded) List(ctx context.Context, q Query, now time.Time) (l List, err error) {
	f := history.Filter{
		Cluster: q.Cluster, Namespace: q.Namespace, Queue: q.Queue, Submitter: q.Submitter, States: q.States, Since: q.Since, Labels: q.Labels,
	}
	if f.Types, err = r.H.FindTypes(ctx, q.Types); err != nil {
		return l, err
	}
	for _, t := range f.Types {
		if !job.IsJobType(t.String()) {
			return l, notJobs(t)
		}
	}
	p := history.Paging{After: q.After, Limit: source.PageLimit(q.Limit)}
	for {
		page, err := r.H.ListJobs(ctx, f, p, now)
		if err != nil {
			return l, err
		}
		if page.Open != nil {
			l.Open = countsOf(page.Open)
		}
		l.add(page.Items)
		l.Next = page.Next
		p.After = page.Next
		if page.Next == "" || q.Limit > 0 && len(l.Jobs) >= q.Limit {
			break
		}
		if q.Limit > 0 {
			p.Limit = min(p.Limit, q.Limit-len(l.Jobs))
		}
	}
	if l.Next != "" { // the rest of the list may be empty
		rest, err := r.H.ListJobs(ctx, f, history.Paging{After: l.Next, Limit: 1}, now)
		if l.More = len(rest.Items) > 0 || rest.Next != ""; !l.More {
			l.Next = ""
		}
		return l, err
	}
	return l, nil
}

// add adds the jobs of a page. A job that ended since an earlier page is only in the later one.
func (l *List) add(page []history.Job) {
	again := map[string]bool{}
	for i := range page {
		again[page[i].ClusterUID+"/"+page[i].UID] = true
	}
	l.Jobs = slices.DeleteFunc(l.Jobs, func(j history.Job) bool {
		both := again[j.ClusterUID+"/"+j.UID]
		if both && j.Open() && l.Open[j.State] > 0 {
			l.Open[j.State]--
		}
		return both
	})
	l.Jobs = append(l.Jobs, page...)
}

// changed returns a tick: databases are asked.
func (r *Recorded) changed(ctx context.Context, _ Query) <-chan struct{} {
	ticks := make(chan struct{}, 1)
	r.ticks.Go(func() {
		tick := time.NewTicker(r.Every)
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

func countsOf(states map[job.State]int) map[string]int {
	counts := map[string]int{}
	for s, n := range states {
		counts[string(s)] = n
	}
	return counts
}
