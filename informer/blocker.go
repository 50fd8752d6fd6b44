package informer

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// blocker monitors a consumer of store.Lossless, for which the informer waits when it lags by
// the backlog.
type blocker struct {
	name    string
	current func() (store.Change, bool)
	waits   func() int // counts the callers that wait for the informer
	log     *faultlog.Reporter

	logging sync.Mutex // held while the monitor logs; locked before mu
	mu      sync.Mutex
	stopped bool
	since   time.Time // when the informer began to wait; zero if it does not wait
	timer   *time.Timer
}

var (
	errBlocking = errors.New("a consumer of store.Lossless takes no changes, so the informer shows nothing new")
	errSelfWait = fmt.Errorf("%w; the program waits for this informer meanwhile", errBlocking)
)

func newBlocker(name string, current func() (store.Change, bool), waits func() int, log *faultlog.Reporter) *blocker {
	return &blocker{name: name, current: current, waits: waits, log: log}
}

// full is the OnFull function of the subscription.
func (b *blocker) full(full bool) {
	if b.change(full) {
		b.logging.Lock()
		defer b.logging.Unlock()
		b.log.See(faultlog.State{})
	}
}

// change records that the informer waits, or no longer waits. It reports whether the end of a
// wait that was logged is due.
func (b *blocker) change(full bool) (over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return false
	}
	switch {
	case !full:
		over = !b.since.IsZero() && !b.timer.Stop()
		b.since = time.Time{}
	case b.timer == nil:
		b.since, b.timer = time.Now(), time.AfterFunc(reportAfter, b.report)
	default:
		b.since = time.Now()
		b.timer.Reset(reportAfter)
	}
	return over
}

// report logs that the informer waits, if that is still true.
func (b *blocker) report() {
	b.logging.Lock()
	defer b.logging.Unlock()
	h := b.health()
	if h.Since.IsZero() {
		return
	}
	s := faultlog.State{Kind: "blocking", Err: errBlocking, Remedy: "do long work in a workqueue or a controller", Attrs: []any{"age", time.Since(h.Since).String()}}
	if b.waits() > 0 {
		s.Err, s.Remedy = errSelfWait, "do not wait for an informer in its own store.Lossless loop"
	}
	if c, ok := b.current(); ok {
		s.Attrs = append(s.Attrs, "event", c.Kind.String(), "object", c.Last().Key().String(), "uid", c.Last().UID())
	}
	b.log.See(s)
}

// stop ends the monitor with its consumer.
func (b *blocker) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped, b.since = true, time.Time{}
	if b.timer != nil {
		b.timer.Stop()
	}
	b.log.Stop()
}

// Blocking describes a consumer that the informer waits for.
type Blocking struct {
	// Consumer is the name of the handler, or "sequence" and a number.
	Consumer string
	// Object is the key of the object whose event the consumer handles; zero if it handles
	// none.
	Object wire.Key
	Since  time.Time
}

func (b *blocker) health() Blocking {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := Blocking{Consumer: b.name, Since: b.since}
	if c, ok := b.current(); ok {
		h.Object = c.Last().Key()
	}
	return h
}
