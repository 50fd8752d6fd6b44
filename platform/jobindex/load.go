package jobindex

import (
	"context"
	"sync"

	"github.com/vedette-io/vedette/platform/feed"
)

const (
	// loadAtOnce is the number of jobs that are read at once.
	loadAtOnce = 2000
	// loaders is the number of goroutines that read jobs.
	loaders = 2
)

// loader reads all jobs into a new table.
type loader struct {
	reader   *reader
	progress func(float64)
}

// load returns a table with all jobs.
//
// It reads the position first: a transition that is committed later is after it in the
// feed, so the job is read again. It does not matter whether the queries of the load see
// the transition.
func (l *loader) load(ctx context.Context) (t *table, err error) {
	t = newTable()
	if t.position, err = feed.Head(ctx, l.reader.db); err != nil {
		return nil, err
	}
	last, err := l.reader.last(ctx)
	if err != nil {
		return nil, err
	}
	var rows []uint32
	err = l.each(ctx, func(jobs []Job) {
		for i := range jobs {
			row, _ := t.put(&jobs[i])
			rows = append(rows, row)
		}
		if n := len(jobs); n > 0 {
			l.progress(min(0.99, float64(jobs[n-1].ID)/float64(last+1)))
		}
	})
	if err != nil {
		return nil, err
	}
	t.settle(rows)
	gaps, err := l.reader.gaps(ctx)
	if err != nil {
		return nil, err
	}
	t.setGaps(gaps)
	return t, nil
}

// each calls put for all jobs, in batches and roughly in the order of their IDs.
func (l *loader) each(ctx context.Context, put func([]Job)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ids, jobs := make(chan []int64, loaders), make(chan []Job, loaders)
	var list, complete sync.WaitGroup
	list.Go(func() {
		defer close(ids)
		if err := l.list(ctx, ids); err != nil {
			cancel(err)
		}
	})
	for range loaders {
		complete.Go(func() {
			for some := range ids {
				all, err := l.reader.byID(ctx, some)
				if err != nil {
					cancel(err)
					continue // the lister ends too
				}
				jobs <- all
			}
		})
	}
	list.Go(func() {
		complete.Wait()
		close(jobs)
	})
	for some := range jobs {
		put(some)
	}
	list.Wait()
	return context.Cause(ctx)
}

// list sends the IDs of all jobs.
func (l *loader) list(ctx context.Context, to chan<- []int64) error {
	for after := int64(0); ; {
		some, err := l.reader.ids(ctx, after, loadAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1]
		select {
		case to <- some:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
