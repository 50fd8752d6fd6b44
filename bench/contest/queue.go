package contest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
)

// line opens the queue of a task.
func (t *Task) line() (Line, error) {
	open := Lines[t.Contestant]
	if open == nil {
		return nil, fmt.Errorf("there is no queue of %q", t.Contestant)
	}
	return open(), nil
}

// queueKeys returns n different keys in the form of controllers.
func queueKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/worker-%d", i%50, i)
	}
	return keys
}

// crew is the number of producers, and the number of workers.
const crew = 8

// produce adds some keys. batch makes the workers take several items, too.
type produce struct {
	add   func(q Line, keys []string)
	batch bool
}

// The methods of adding.
var (
	singly = produce{add: func(q Line, keys []string) {
		for _, key := range keys {
			q.Add(key, 0, 0)
		}
	}}
	byPriority = produce{add: func(q Line, keys []string) {
		for i, key := range keys {
			q.Add(key, i%3-1, 0)
		}
	}}
	inBatches = produce{batch: true, add: func(q Line, keys []string) {
		for len(keys) > 0 {
			n := min(len(keys), 100)
			q.AddAll(keys[:n])
			keys = keys[n:]
		}
	}}
)

// doQueue returns the action in which producers add all keys and workers process them,
// several times: within a round all keys are different, so none are merged.
func doQueue(p produce) func(context.Context, *Task) (*Result, error) {
	return func(ctx context.Context, t *Task) (*Result, error) {
		return t.queue(func(q Line, keys []string) error { return rounds(ctx, q, keys, t.Events/t.N, p) })
	}
}

// doQueueAlone has one goroutine that adds, gets and finishes one item after the other.
func doQueueAlone(ctx context.Context, t *Task) (*Result, error) {
	return t.queue(func(q Line, keys []string) error {
		take, done := q.Worker(false)
		for i := 0; i < t.Events && ctx.Err() == nil; i++ {
			q.Add(keys[i%len(keys)], 0, 0)
			take()
			done()
		}
		return ctx.Err()
	})
}

// doQueueDelayed delays many items, in random order.
func doQueueDelayed(ctx context.Context, t *Task) (*Result, error) {
	return t.queue(func(q Line, keys []string) error {
		for i, key := range keys {
			q.Add(key, 0, time.Hour+time.Duration((i*7919)%len(keys))*time.Millisecond)
		}
		return ctx.Err()
	})
}

// queue measures do with the queue of a task.
func (t *Task) queue(do func(q Line, keys []string) error) (*Result, error) {
	q, err := t.line()
	if err != nil {
		return nil, err
	}
	defer q.Stop()
	keys := queueKeys(t.N)
	mark, err := measure.Begin()
	if err != nil {
		return nil, err
	}
	if err := do(q, keys); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	n := float64(max(t.Events, t.N))
	f[PerSecond], f[PerEvent], f[AllocsPerEvent] = n/f[measure.Wall], f[measure.CPU]/n, f[measure.Allocs]/n
	return &Result{Figures: f}, nil
}

// rounds makes producers add all keys and workers process them, several times.
func rounds(ctx context.Context, q Line, keys []string, times int, p produce) error {
	var handled atomic.Int64
	var all sync.WaitGroup
	full := make(chan struct{}, 1)
	for range crew {
		all.Go(func() {
			take, done := q.Worker(p.batch)
			for {
				n, ok := take()
				if !ok {
					return
				}
				done()
				if handled.Add(int64(n))%int64(len(keys)) == 0 {
					full <- struct{}{}
				}
			}
		})
	}
	defer all.Wait()
	defer q.Stop()
	for range times {
		for i := range crew {
			share := keys[i*len(keys)/crew : (i+1)*len(keys)/crew]
			all.Go(func() { p.add(q, share) })
		}
		if err := wait(ctx, "the queue", full); err != nil {
			return err
		}
	}
	return nil
}
