package patience

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"time"
)

// Variable is the environment variable with the limit, in the syntax of
// [time.ParseDuration].
const Variable = "VEDETTE_PATIENCE"

// usual is the limit without the variable.
const usual = time.Minute

// pause is the time between two checks of a condition.
const pause = 10 * time.Millisecond

// Limit returns how long a test waits for one condition.
func Limit(tb testing.TB) time.Duration {
	tb.Helper()
	text := os.Getenv(Variable)
	if text == "" {
		return usual
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		tb.Fatalf("%s=%s is not a positive duration", Variable, text)
	}
	return limit
}

// Until waits until check returns no problem. It calls check at once and then a hundred
// times a second, on the goroutine of the test. After the limit, the test ends with the
// last problem, which should describe the state of the awaited thing: a state that may be
// empty needs words around it, because an empty problem ends the wait.
func Until(tb testing.TB, what string, check func() (problem string)) {
	tb.Helper()
	until(tb, Limit(tb), what, check)
}

// Work waits until work is done: check returns how much of it is done, and no problem at
// its end. The limit counts from the last progress, so it does not depend on the size of
// the work: the test ends when done has not reached a new maximum for the limit.
func Work(tb testing.TB, what string, check func() (done int64, problem string)) {
	tb.Helper()
	limit, most := Limit(tb), int64(math.MinInt64)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		done, problem := check()
		if problem == "" {
			return
		}
		if done > most {
			most = done
			end.Reset(limit)
		}
		select {
		case <-tick.C:
		case <-end.C:
			tb.Fatalf("%s: no progress for %v: %s", what, limit, problem)
			return
		}
	}
}

// True is [Until] for a condition without a state of interest.
func True(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	Until(tb, what, func() string {
		if holds() {
			return ""
		}
		return "it does not hold"
	})
}

// NoError is [Until] for a call that must succeed in the end.
func NoError(tb testing.TB, what string, call func() error) {
	tb.Helper()
	Until(tb, what, func() string {
		if err := call(); err != nil {
			return err.Error()
		}
		return ""
	})
}

func until(tb testing.TB, limit time.Duration, what string, check func() string) {
	tb.Helper()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		problem := check()
		if problem == "" {
			return
		}
		select {
		case <-tick.C:
		case <-end.C:
			tb.Fatalf("%s: not within %v: %s", what, limit, problem)
			return
		}
	}
}

// Receive waits for a value on a channel, and returns it. After the limit, or if the channel
// is closed, the test ends. state, if any, describes the awaited thing in the failure.
func Receive[T any](tb testing.TB, what string, from <-chan T, state ...func() string) T {
	tb.Helper()
	limit := Limit(tb)
	end := time.NewTimer(limit)
	defer end.Stop()
	select {
	case v, ok := <-from:
		if !ok {
			tb.Fatalf("%s: the channel is closed%s", what, describe(state))
		}
		return v
	case <-end.C:
		tb.Fatalf("%s: not within %v%s", what, limit, describe(state))
	}
	var none T
	return none
}

// Closed waits until a channel is closed, and discards the values before that. After the
// limit, the test ends. state, if any, describes the awaited thing in the failure.
func Closed[T any](tb testing.TB, what string, done <-chan T, state ...func() string) {
	tb.Helper()
	limit := Limit(tb)
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		select {
		case _, ok := <-done:
			if !ok {
				return
			}
		case <-end.C:
			tb.Fatalf("%s: not within %v%s", what, limit, describe(state))
			return
		}
	}
}

// Send waits until a channel takes a value. After the limit, the test ends.
func Send[T any](tb testing.TB, what string, to chan<- T, v T) {
	tb.Helper()
	limit := Limit(tb)
	end := time.NewTimer(limit)
	defer end.Stop()
	select {
	case to <- v:
	case <-end.C:
		tb.Fatalf("%s: not within %v", what, limit)
	}
}

// Context returns a context that ends with the test, or after the limit. Its cause names
// what the test waited for.
func Context(tb testing.TB, what string) context.Context {
	tb.Helper()
	limit := Limit(tb)
	ctx, cancel := context.WithTimeoutCause(tb.Context(), limit, fmt.Errorf("%s: not within %v", what, limit))
	tb.Cleanup(cancel)
	return ctx
}

func describe(state []func() string) (text string) {
	for _, s := range state {
		text += ": " + s()
	}
	return text
}
