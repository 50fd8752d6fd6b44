package workqueue

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/stacktrace"
)

// guard recovers the panics of the functions of a Config. A panic that left the queue would
// end the process if a timer made the call, and would leave the queue half changed if the
// call was made under its lock.
type guard[T comparable] struct {
	report   func(error)
	reported [5]atomic.Bool
}

// function is a function of a Config.
type function int

const (
	ofGroup function = iota
	ofSerial
	ofLimiter
	ofObserver
	ofClock
)

// String returns the name of the field.
func (f function) String() string {
	return [...]string{"Group", "Serial", "Limiter", "Observer", "Clock"}[f]
}

// guarded returns the configuration with functions that do not panic. start is the time at
// which the queue was created.
func guarded[T comparable](cfg Config[T], start time.Time) Config[T] {
	if cfg.CrashOnPanic {
		return cfg
	}
	g := &guard[T]{report: cfg.Report}
	if of := cfg.Group; of != nil {
		cfg.Group = func(item T) (name string) {
			defer g.recovered(ofGroup)
			return of(item)
		}
	}
	if of := cfg.Serial; of != nil {
		cfg.Serial = func(item T) (name string) {
			defer g.recovered(ofSerial)
			return of(item)
		}
	}
	if of := cfg.Clock; of != nil {
		cfg.Clock = func() (now time.Duration) {
			now = time.Since(start)
			defer g.recovered(ofClock)
			return of()
		}
	}
	cfg.Limiter = guardedLimiter[T]{g, cfg.Limiter}
	if cfg.Observer != nil {
		cfg.Observer = guardedObserver[T]{g, cfg.Observer}
	}
	return cfg
}

// recovered ends the panic of a function of the user, and reports the first one of each
// function. The call returns the values that were set before the panic.
func (g *guard[T]) recovered(f function) {
	v := recover()
	if v == nil || g.reported[f].Swap(true) {
		return
	}
	err := fmt.Errorf("workqueue: Config.%v panicked: %v, in %s", f, v, stacktrace.Line(debug.Stack()))
	if f == ofObserver { // the queue is locked, and Report may call it
		go g.tell(err)
		return
	}
	g.tell(err)
}

// tell reports an error. Report and the handler of the log are functions of the user too.
func (g *guard[T]) tell(err error) {
	defer func() { _ = recover() }()
	if g.report != nil {
		g.report(err)
		return
	}
	slog.Error("a function of a workqueue panicked; its later panics are not logged", "err", err)
}

// guardedLimiter is Config.Limiter. After a panic the delay is that of Exponential.
type guardedLimiter[T comparable] struct {
	guard *guard[T]
	of    Limiter
}

// Delay implements Limiter.
func (l guardedLimiter[T]) Delay(retries int) (d time.Duration) {
	d = Exponential{}.Delay(retries)
	defer l.guard.recovered(ofLimiter)
	return l.of.Delay(retries)
}

// guardedObserver is Config.Observer. An event for which it panics is lost.
type guardedObserver[T comparable] struct {
	guard *guard[T]
	of    Observer[T]
}

func (o guardedObserver[T]) Added(item T) {
	defer o.guard.recovered(ofObserver)
	o.of.Added(item)
}

func (o guardedObserver[T]) Taken(item T, ago time.Duration) {
	defer o.guard.recovered(ofObserver)
	o.of.Taken(item, ago)
}

func (o guardedObserver[T]) Done(item T, took time.Duration) {
	defer o.guard.recovered(ofObserver)
	o.of.Done(item, took)
}
