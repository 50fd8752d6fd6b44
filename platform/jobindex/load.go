package jobindex

import (
	"context"
	"sync"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/model"
)

const (
	// loadAtOnce is the number of jobs that are read at once.
	loadAtOnce = 2000
	// loaders is the number of goroutines that read lives and labels.
	loaders = 2
	// bodiesAtLoad is the number of open jobs whose bodies are read before the index is
	// ready.
	bodiesAtLoad = 2000
)

// loader reads all jobs into a new table.
type loader struct {
	reader   *reader
	types    []int64
	progress func(float64)
}

// load returns a table with all jobs, and the jobs whose bodies must still be read, newest
// last.
//
// It reads the position first: a transition that is committed later is after it in the
// feed, so the job is read again. It does not matter whether the queries of the load see
// the transition.
func (l *loader) load(ctx context.Context) (t *table, unread []int64, err error) {
	t = newTable()
	if t.position, err = feed.Head(ctx, l.reader.db); err != nil {
		return nil, nil, err
	}
	if l.types, err = l.reader.types(ctx); err != nil {
		return nil, nil, err
	}
	last, err := l.reader.last(ctx)
	if err != nil {
		return nil, nil, err
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
		return nil, nil, err
	}
	t.settle(rows)
	gaps, err := l.reader.gaps(ctx)
	if err != nil {
		return nil, nil, err
	}
	t.setGaps(gaps)
	unread, err = l.readBodies(ctx, t)
	return t, unread, err
}

// each calls put for all jobs, in batches and roughly in the order of their IDs.
func (l *loader) each(ctx context.Context, put func([]Job)) error {
	if len(l.types) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	objects, jobs := make(chan []model.ListedObject, loaders), make(chan []Job, loaders)
	var list, complete sync.WaitGroup
	list.Go(func() {
		defer close(objects)
		if err := l.list(ctx, objects); err != nil {
			cancel(err)
		}
	})
	for range loaders {
		complete.Go(func() {
			for some := range objects {
				all, err := l.reader.completed(ctx, some)
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

// list sends the objects of all jobs.
func (l *loader) list(ctx context.Context, to chan<- []model.ListedObject) error {
	for after := int64(0); ; {
		some, err := l.reader.listed(ctx, l.types, after, loadAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].ID
		select {
		case to <- some:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readBodies reads the bodies of the newest open jobs, and returns all other jobs.
func (l *loader) readBodies(ctx context.Context, t *table) (others []int64, err error) {
	var open []int64
	for i := len(t.order) - 1; i >= 0; i-- {
		row := t.order[i]
		if len(open) < bodiesAtLoad && !t.states.final[t.state[row]] {
			open = append(open, t.id[row])
		} else {
			others = append(others, t.id[row])
		}
	}
	for len(open) > 0 {
		n := min(bodiesAtOnce, len(open))
		jobs := t.unread(open[:n])
		if err := l.reader.readBodies(ctx, jobs); err != nil {
			return nil, err
		}
		t.storeBodyFacts(jobs)
		open = open[n:]
	}
	return others, nil
}
