package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/informer"
)

// Again is what a reconcile returns that went well, and is to be repeated after a
// while even if nothing changes: not before that, but earlier if something does.
// It counts as a success: the next failure begins with the first backoff. 0 or
// less mean at once, behind all keys that wait.
func RequeueAfter(after time.Duration) error { return &requeueAfter{max(0, after)} }

type requeueAfter struct{ delay time.Duration }

// Error implements error.
func (a *requeueAfter) Error() string { return fmt.Sprintf("again after %v", a.delay) }

// Terminal is what a reconcile returns that failed, and would fail again: it is
// reported and counted, and not repeated before something changes. nil stays nil.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminal{err}
}

type terminal struct{ err error }

// Error implements error.
func (t *terminal) Error() string { return t.err.Error() }

// Unwrap returns what was handed to Terminal.
func (t *terminal) Unwrap() error { return t.err }

// Outcome is how a reconcile ended.
type Outcome uint8

const (
	// Done: it returned nil.
	Done Outcome = iota
	// AgainLater: it returned Again.
	Requeued
	// Failed: it returned an error, panicked, or ran out of time, and is retried.
	Failed
	// GivenUp: it returned Terminal, or panicked where the policy is informer.SkipOnPanic.
	GivenUp
	// Interrupted: it failed after its context had ended, because the controller stops
	// or the key is another replica's. Its key was not done.
	Interrupted
	// Outcomes is how many there are.
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

// judge says what an answer means. An Again that is joined to another error does
// not hide it.
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
	for e := err; e != nil; e = errors.Unwrap(e) {
		if a, ok := e.(*requeueAfter); ok {
			return Requeued, a.delay
		}
	}
	return Failed, 0
}
