package reflector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// Reflector follows one scope. Create it with New.
type Reflector struct {
	src  Source
	sink Sink
	cfg  Config

	mu         sync.Mutex
	health     Health
	overdueErr error         // error last published by overdue, until Run takes it
	changed    chan struct{} // closed at the next significant change
}

// New returns a reflector from src to sink. It sends no request until Run.
//
// Errors: an illegal value in cfg, or a missing source or sink.
func New(src Source, sink Sink, cfg Config) (*Reflector, error) {
	if src == nil || sink == nil {
		return nil, errors.New("reflector: the source or the sink is nil")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Reflector{
		src: src, sink: sink, cfg: cfg,
		health:  Health{Since: time.Now()},
		changed: make(chan struct{}),
	}, nil
}

// Run follows the scope until ctx is done, and then returns nil. It may be called only
// once.
//
// Errors: an error of the sink, unless ctx is done; ErrListNeeded; ErrRestored; an error
// of the source that wraps ErrSourceEnded.
func (r *Reflector) Run(ctx context.Context) error {
	d := driver{src: r.src, cfg: &r.cfg}
	d.overdue = func() { r.overdue(&d.awaiting) }
	defer d.close()
	m := newMachine(&r.cfg, rand.Float64)
	m.resume(r.cfg.Resume)
	next := m.start()
	r.publish(m.health, next, false)
	var in input
	for {
		d.do(ctx, next, &in)
		if ctx.Err() != nil {
			break
		}
		r.takeOverdue(m)
		m.health.Skipped = d.skipped
		var out delta.Delta
		next, out = m.step(&in)
		r.publish(m.health, next, in.heard())
		if next.kind == doEnd {
			return r.end(m, next.err)
		}
		if out.Kind == 0 {
			continue
		}
		out.Scope, out.Record.Cluster, out.Seen = r.cfg.Scope, r.cfg.Scope.Cluster, time.Now()
		out.Order = m.health.Order
		if err := r.sink.Put(ctx, out); err != nil {
			if ctx.Err() != nil {
				break
			}
			return r.end(m, err)
		}
	}
	return r.end(m, nil)
}

// end publishes that Run returns err.
func (r *Reflector) end(m *machine, err error) error {
	if m.health.Phase = Stopped; err != nil {
		m.health.Err = err
	}
	r.publish(m.health, action{}, false)
	return err
}

// Health returns the health of the reflector, and a channel that is closed at the next
// significant change. Changes of counters and versions alone are not significant.
func (r *Reflector) Health() (Health, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health, r.changed
}

// publish publishes the health of the machine. It adds the times, because the machine has
// no clock.
func (r *Reflector) publish(h Health, next action, heard bool) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	h.Since, h.LastEvent, h.Retry = r.health.Since, r.health.LastEvent, time.Time{}
	if heard {
		h.LastEvent = now
	}
	if h.Phase != r.health.Phase {
		h.Since = now
	}
	if next.kind == doWait {
		h.Retry = now.Add(next.wait)
	}
	r.setLocked(h)
}

func (r *Reflector) setLocked(h Health) {
	news := r.health.significant(&h)
	r.health = h
	if news {
		close(r.changed)
		r.changed = make(chan struct{})
	}
}

// overdue publishes that an answer is late, if it is still awaited. The next state that
// Run publishes replaces this one.
func (r *Reflector) overdue(awaiting *atomic.Bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !awaiting.CompareAndSwap(true, false) {
		return
	}
	var err error = &timeoutError{fmt.Sprintf("no answer for %v; still waiting", r.cfg.SlowAnswer)}
	if named, ok := r.src.(fmt.Stringer); ok {
		err = fmt.Errorf("%v: %w", named, err)
	}
	h := r.health
	h.Fault, h.Err, h.LastErr = Unreachable, err, err
	r.overdueErr = err
	r.setLocked(h)
}

// takeOverdue stores the error of a late answer in the health of the machine.
func (r *Reflector) takeOverdue(m *machine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.overdueErr != nil {
		m.health.LastErr, r.overdueErr = r.overdueErr, nil
	}
}
