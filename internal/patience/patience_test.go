package patience

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// patient records the failure of a test.
type patient struct {
	testing.TB
	failure string
}

func (p *patient) Helper()                   {}
func (p *patient) Fatalf(f string, a ...any) { p.failure = fmt.Sprintf(f, a...) }

// TestUntil: the failure has the last state, and comes at the limit, not before.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patient{TB: t}
		start, calls := time.Now(), 0
		Until(p, "the store is full", func() string { calls++; return fmt.Sprintf("call %d", calls) })
		if took := time.Since(start); took != usual {
			t.Errorf("it gave up after %v", took)
		}
		if want := fmt.Sprintf("the store is full: not within 1m0s: call %d", calls); p.failure != want {
			t.Errorf("failure %q, want %q", p.failure, want)
		}
	})
}

// TestUntilHolds: a condition that holds ends the wait at once.
func TestUntilHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		True(t, "a third call", func() bool { return time.Since(start) >= 2*pause })
		if took := time.Since(start); took != 2*pause {
			t.Errorf("it took %v", took)
		}
	})
}

// TestWork: progress renews the limit, and work that stands still or goes back ends the test.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		done := func() int64 { return int64(time.Since(start) / (usual / 2)) }
		Work(t, "ten parts", func() (int64, string) {
			if done() == 10 {
				return 10, ""
			}
			return done(), "it continues"
		})
		if took := time.Since(start); took != 5*usual {
			t.Errorf("it took %v", took)
		}
		for _, at := range []func() int64{func() int64 { return 3 }, func() int64 { return -done() }} {
			p, start := &patient{TB: t}, time.Now()
			Work(p, "ten parts", func() (int64, string) { return at(), "3 of 10" })
			if took := time.Since(start); took != usual || p.failure != "ten parts: no progress for 1m0s: 3 of 10" {
				t.Errorf("it gave up after %v: %q", took, p.failure)
			}
		}
	})
}

// TestVariable: the environment sets the limit.
func TestVariable(t *testing.T) {
	t.Setenv(Variable, "3s")
	if got := Limit(t); got != 3*time.Second {
		t.Errorf("the limit is %v", got)
	}
	t.Setenv(Variable, "soon")
	p := &patient{TB: t}
	if Limit(p); !strings.Contains(p.failure, "soon") {
		t.Errorf("a bad limit: %q", p.failure)
	}
}

// TestChannels: values and ends of channels are awaited up to the limit.
func TestChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values := make(chan int, 2)
		values <- 7
		if got := Receive(t, "a value", values); got != 7 {
			t.Errorf("received %d", got)
		}
		values <- 8
		close(values)
		Closed(t, "the end", values)
		p := &patient{TB: t}
		Closed(p, "the end", make(chan int), func() string { return "state 3" })
		if want := "the end: not within 1m0s: state 3"; p.failure != want {
			t.Errorf("failure %q, want %q", p.failure, want)
		}
		p.failure = ""
		if Send(p, "a taker", make(chan int), 1); p.failure != "a taker: not within 1m0s" {
			t.Errorf("failure %q", p.failure)
		}
	})
}

// TestContext: the cause of the end names the awaited thing.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := Context(t, "the answer")
		<-ctx.Done()
		if cause := context.Cause(ctx); cause == nil || cause.Error() != "the answer: not within 1m0s" {
			t.Errorf("cause %v", cause)
		}
	})
}
