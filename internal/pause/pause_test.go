package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestFor: For waits exactly as long as asked, and ends at once with the cause of its context.
func TestFor(t *testing.T) {
	stopped := errors.New("stopped")
	for _, c := range []struct {
		name      string
		d, cancel time.Duration // cancel is negative if the context never ends
		waited    time.Duration
		err       error
	}{
		{"the time passes", time.Minute, -1, time.Minute, nil},
		{"nothing to wait for", 0, -1, 0, nil},
		{"a negative time", -time.Minute, -1, 0, nil},
		{"the context ends first", time.Minute, time.Second, time.Second, stopped},
		{"the context has ended", time.Minute, 0, 0, stopped},
		{"the context has ended, and there is nothing to wait for", 0, 0, 0, stopped},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				switch {
				case c.cancel == 0:
					cancel(stopped)
				case c.cancel > 0:
					defer time.AfterFunc(c.cancel, func() { cancel(stopped) }).Stop()
				}
				began := time.Now()
				if err := For(ctx, c.d); !errors.Is(err, c.err) || (c.err == nil && err != nil) {
					t.Errorf("got error %v, want %v", err, c.err)
				}
				if got := time.Since(began); got != c.waited {
					t.Errorf("waited for %v, want %v", got, c.waited)
				}
			})
		})
	}
}
