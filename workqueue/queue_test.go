package workqueue_test

import (
	"context"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// impatient is a context that is done as soon as a call waits with it. So a test
// can tell a call that waits from one that does not, and never hangs.
type impatient struct {
	context.Context
	waited atomic.Bool
}

func noWait() *impatient { return &impatient{Context: context.Background()} }

func (c *impatient) Done() <-chan struct{} {
	c.waited.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

func (c *impatient) Err() error {
	if c.waited.Load() {
		return context.Canceled
	}
	return nil
}
