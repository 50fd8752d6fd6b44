package contest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/workload"
)

// shelf opens the store of a task, empty.
func (t *Task) shelf() (Shelf, error) {
	open := Shelves[t.Contestant]
	if open == nil || len(t.Kinds) != 1 {
		return nil, fmt.Errorf("there is no store of %q for %d kinds", t.Contestant, len(t.Kinds))
	}
	k, err := workload.Of(t.Kinds[0])
	if err != nil {
		return nil, err
	}
	return open(k, t.N)
}

func doOverhead(ctx context.Context, t *Task) (*Result, error) {
	s, err := t.shelf()
	if err != nil {
		return nil, err
	}
	mark, err := measure.Begin()
	if err != nil {
		return nil, err
	}
	if err := s.Fill(ctx); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	if n := s.List(); n != t.N {
		return nil, fmt.Errorf("it has %d objects, want %d", n, t.N)
	}
	f["overhead"] = (f[measure.Heap] - float64(s.Own())) / float64(t.N)
	runtime.KeepAlive(s)
	return &Result{Figures: f}, nil
}

// pace is the pause between two changes beside one reader. Without it, the many changes
// between two lists would hide those that wait for a list.
const pace = 500 * time.Microsecond

// doCommit changes one object after the other, alone and then, at a pace, while
// one reader loops over all of them.
func doCommit(ctx context.Context, t *Task) (*Result, error) { return commit(ctx, t, 1, pace) }

// doBeside changes one object after the other, alone and then beside ten readers.
func doBeside(ctx context.Context, t *Task) (*Result, error) { return commit(ctx, t, 10, 0) }

func commit(ctx context.Context, t *Task, readers int, pace time.Duration) (*Result, error) {
	s, err := t.shelf()
	if err != nil {
		return nil, err
	}
	if err := s.Fill(ctx); err != nil {
		return nil, err
	}
	w := &commits{shelf: s, n: t.N, version: workload.ChurnVersion}
	alone := measure.Figures{}
	if _, err := w.run(ctx, t.Events, 0, alone); err != nil {
		return nil, err
	}
	f := measure.Figures{}
	for name, v := range alone {
		f["alone-"+name] = v
	}
	var curve measure.Curve
	lists, err := beside(ctx, s, readers, func() (err error) {
		curve, err = w.run(ctx, t.Events, pace, f)
		return err
	})
	f["lists-per-second"] = float64(lists) / f["time"]
	f["share"] = f[PerSecond] / f["alone-"+PerSecond]
	return &Result{Figures: f, Curve: curve}, err
}

// commits is one goroutine that writes.
type commits struct {
	shelf   Shelf
	n       int
	version uint64
}

// patience is the maximum duration of a series of commits: some peers write less than a
// hundred times a second beside readers.
const patience = 3 * time.Second

// run writes up to a number of times, for at most patience.
func (w *commits) run(ctx context.Context, writes int, pace time.Duration, f measure.Figures) (measure.Curve, error) {
	took := make([]time.Duration, 0, writes)
	began := time.Now()
	last := began
	for len(took) < writes && last.Sub(began) < patience {
		from := last
		for pace > 0 && from.Sub(last) < pace { // a timer would fire too late
			from = time.Now()
		}
		w.version++
		if err := w.shelf.Put(ctx, int(w.version*7919%uint64(w.n)), w.version); err != nil {
			return nil, err
		}
		last = time.Now()
		took = append(took, last.Sub(from))
	}
	f["time"] = last.Sub(began).Seconds()
	f[PerSecond] = float64(len(took)) / f["time"]
	return measure.Latency(took, f), nil
}

// beside calls do while readers list everything, and returns the number of lists.
func beside(ctx context.Context, s Shelf, readers int, do func() error) (lists int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	counts := make([]int, readers)
	var work sync.WaitGroup
	for r := range readers {
		work.Go(func() {
			for ctx.Err() == nil {
				s.List()
				counts[r]++
			}
		})
	}
	err = do()
	cancel()
	work.Wait()
	for _, n := range counts {
		lists += n
	}
	return lists, err
}
