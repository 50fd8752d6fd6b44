package contest

import (
	"context"
	"errors"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
)

// Figures of events, in addition to those of a measure.Mark.
const (
	Told      = "told"       // events that one handler got
	PerSecond = "per-second" // events sent per second
	PerEvent  = "per-event"  // s of CPU per event
	Since     = "since"      // s of CPU from the start of the first list
	PerLookup = "per-lookup" // s of CPU per lookup, including concurrent events
	Done      = "done"       // events that were sent before a contestant gave up

	AllocsPerEvent = "allocs-per-event" // allocations per item of a queue
)

// churn opens a cache with handlers, waits for the first list, and measures the events
// after it.
func churn(ctx context.Context, t *Task, a *audience, handlers []Handler) (*measure.Mark, func() error, error) {
	c, err := t.open(handlers)
	if err != nil {
		return nil, nil, err
	}
	stop := follow(ctx, c)
	if err := wait(ctx, "the first list", c.Synced()); err != nil {
		return nil, nil, err
	}
	if err := wait(ctx, "the first list, handled", a.initial); err != nil {
		return nil, nil, err
	}
	mark, err := measure.Begin()
	if err != nil {
		return nil, nil, err
	}
	_, err = control(ctx, t.URL, "start")
	return mark, stop, err
}

func doEvents(ctx context.Context, t *Task) (*Result, error) {
	handlers := max(t.Handlers, 1)
	a := newAudience(handlers, t.N, t.Reads, nil)
	mark, stop, err := churn(ctx, t, a, a.handlers)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, "the last event", a.ended); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	rates(f, t)
	f[Told] = float64(a.told.Load()) / float64(handlers)
	return &Result{Figures: f}, stop()
}

// rates adds the figures per event. If the server makes clients list repeatedly, each
// object of a list counts as an event.
func rates(f measure.Figures, t *Task) {
	n := float64(t.Events)
	if t.Relists > 0 {
		n = float64(t.Relists * t.N)
	}
	f[PerSecond], f[PerEvent] = n/f[measure.Wall], f[measure.CPU]/n
}

func doLatency(ctx context.Context, t *Task) (*Result, error) {
	samples := make([]time.Duration, 0, t.Events+1)
	a := newAudience(1, t.N, ReadNew, func(sent int64) {
		samples = append(samples, time.Duration(time.Now().UnixNano()-sent))
	})
	mark, stop, err := churn(ctx, t, a, a.handlers)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, "the last event", a.ended); err != nil {
		return nil, err
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	rates(f, t)
	f[Told] = float64(a.told.Load())
	if err := stop(); err != nil { // before the samples are sorted: no goroutine adds to them anymore
		return nil, err
	}
	r := &Result{Figures: f}
	r.Curve = measure.Latency(samples, f)
	return r, nil
}

// doStuck has one handler that never returns, and another that detects when all events have
// arrived. It monitors the resident memory.
func doStuck(ctx context.Context, t *Task) (*Result, error) {
	release := make(chan struct{})
	defer close(release)
	a := newAudience(1, t.N, ReadNothing, nil)
	handlers := append(a.handlers, Handler{Told: func(string, int64) { <-release }})
	mark, _, err := churn(ctx, t, a, handlers)
	if err != nil {
		return nil, err
	}
	err = watchMemory(ctx, t.Memory, a.ended)
	if err != nil && !errors.Is(err, errMemory) {
		return nil, err
	}
	f, err2 := mark.Times()
	if err2 != nil {
		return nil, err2
	}
	f[Done] = float64(t.Events)
	f["gave-up"] = 0
	if err != nil {
		state, err := control(ctx, t.URL, "state")
		if err != nil {
			return nil, err
		}
		f[Done], f["gave-up"] = float64(state.Sent), 1
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	f["rss-per-event"] = f[measure.RSSGrowth] / max(f[Done], 1)
	return &Result{Figures: f}, nil // the process ends, and the handler with it
}

// watchMemory waits until done is closed. It gives up if the resident memory exceeds the
// limit.
func watchMemory(ctx context.Context, limit uint64, done <-chan struct{}) error {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			now, err := measure.RSS()
			if err != nil {
				return err
			}
			if limit > 0 && now > limit {
				return errMemory
			}
		}
	}
}
