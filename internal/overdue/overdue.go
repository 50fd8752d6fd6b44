// Package overdue logs functions of the program that do not return after the end of their
// context.
package overdue

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// returnTime is how long a function may run after the end of its context before the log names
// it.
const returnTime = 8 * time.Second

// call logs a call of a function that does not return after the end of its context.
type call struct {
	name string
	log  func() *slog.Logger

	mu       sync.Mutex
	timer    *time.Timer // nil before the end of the context
	returned bool
	since    time.Time // when the context ended
	reported bool
}

// Reporting returns a function that calls run, and logs that run does not return.
func Reporting(log func() *slog.Logger, name string, run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		c := &call{name: name, log: log}
		defer c.end()
		defer context.AfterFunc(ctx, c.await)()
		return run(ctx)
	}
}

// await starts the timer.
func (c *call) await() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.returned {
		c.since = time.Now()
		c.timer = time.AfterFunc(returnTime, c.report)
	}
}

func (c *call) report() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return
	}
	c.reported = true
	c.log().Warn("a function does not return after the end of its context; Run waits for it",
		"function", c.name, "remedy", "return when the context is done")
}

// end records that the function has returned.
func (c *call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.reported {
		c.log().Info("an overdue function has returned", "function", c.name, "after", time.Since(c.since).Round(time.Second).String())
	}
}
