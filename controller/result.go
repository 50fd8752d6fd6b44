package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/informer"
)

// RequeueAfter is the result of a reconcile that succeeded and must be repeated after a
// delay even if nothing changes. A change repeats it earlier. It counts as a success: the
// backoff starts from the beginning at the next failure. A delay of 0 or less repeats it at
// once, behind all keys that wait. Of several that errors.Join joins, the earliest counts.
func RequeueAfter(after time.Duration) error { return &requeueAfter{max(0, after)} }

type requeueAfter struct{ delay time.Duration }

// Error implements error.
func (a *requeueAfter) Error() string { return fmt.Sprintf("again after %v", a.delay) }

// Terminal is the result of a reconcile that failed and would fail again. The error is
// logged and counted, and the key is not retried until something changes. Terminal(nil) is
// nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminal{err}
}

type terminal struct{ err error }

// Error implements error.
func (t *terminal) Error() string { return t.err.Error() }

// Unwrap returns the error that was passed to Terminal.
func (t *terminal) Unwrap() error { return t.err }

// Outcome is how a reconcile ended.
type Outcome uint8

const (
	// Done means that the reconcile returned nil.
	Done Outcome = iota
	// Requeued means that the reconcile returned RequeueAfter.
	Requeued
	// Failed means that the reconcile returned an error, panicked or timed out, and is
	// retried.
	Failed
	// GivenUp means that the reconcile returned Terminal, or panicked and the policy is
	// informer.SkipOnPanic.
	GivenUp
	// Interrupted means that the reconcile failed after its context had ended, because the
	// controller is stopping or another replica owns the key. The key does not count as
	// done.
	Interrupted
	// outcomeCount is the number of outcomes.
	outcomeCount
)

var outcomes = [...]string{"done", "again", "failed", "terminal", "interrupted"}

// String returns the name of the outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "unknown"
}

// classify returns the outcome of a result, and the delay of RequeueAfter. A RequeueAfter
// that is joined with another error does not hide that error.
func classify(err error, panics informer.PanicPolicy) (o Outcome, after time.Duration) {
	if err == nil {
		return Done, 0
	}
	var t *terminal
	if errors.As(err, &t) {
		return GivenUp, 0
	}
	var p *PanicError
	if errors.As(err, &p) && panics != informer.RetryOnPanic {
		return GivenUp, 0
	}
	if delay, ok := earliest(err); ok {
		return Requeued, delay
	}
	return Failed, 0
}

// earliest returns the shortest delay in an error that has nothing but RequeueAfter.
func earliest(err error) (delay time.Duration, ok bool) {
	switch e := err.(type) {
	case *requeueAfter:
		return e.delay, true
	case interface{ Unwrap() error }:
		return earliest(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			d, requeues := earliest(part)
			if !requeues {
				return 0, false
			}
			if !ok || d < delay {
				delay, ok = d, true
			}
		}
	}
	return delay, ok
}
