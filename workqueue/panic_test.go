package workqueue_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/workqueue"
)

// panicking is a limiter and an observer that panic in each call.
type panicking struct{}

func (panicking) Delay(int) time.Duration     { panic("on purpose") }
func (panicking) Added(string)                { panic("on purpose") }
func (panicking) Taken(string, time.Duration) { panic("on purpose") }
func (panicking) Done(string, time.Duration)  { panic("on purpose") }

// TestPanics: a queue whose functions panic hands out its items, also those that a timer adds,
// and reports the first panic of each function.
func TestPanics(t *testing.T) {
	name := func(string) string { panic("on purpose") }
	for field, cfg := range map[string]workqueue.Config[string]{
		"Group":    {Group: name},
		"Serial":   {Serial: name},
		"Limiter":  {Limiter: panicking{}},
		"Observer": {Observer: panicking{}},
		"Clock":    {Clock: func() time.Duration { panic("on purpose") }},
	} {
		t.Run(field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var reports []string
				cfg.Report = func(err error) {
					mu.Lock()
					defer mu.Unlock()
					reports = append(reports, err.Error())
					panic("in Report")
				}
				q := workqueue.New(cfg)
				ctx := context.Background()
				handle := func(want string) {
					t.Helper()
					w, err := q.Get(ctx)
					if err != nil || w.Item != want {
						t.Fatalf("got %q, %v, want %q", w.Item, err, want)
					}
				}
				for _, err := range []error{q.Add(ctx, "a"), q.AddAfter(ctx, "b", time.Minute)} {
					if err != nil {
						t.Fatal(err)
					}
				}
				handle("a")
				if d, err := q.Retry(ctx, "a"); d <= 0 || err != nil {
					t.Errorf("Retry returned %v, %v, want a delay", d, err)
				}
				if err := q.Done("a"); err != nil {
					t.Fatal(err)
				}
				handle("a")
				_ = q.Done("a")
				handle("b")
				_ = q.Done("b")
				if left, err := q.Drain(ctx); len(left) > 0 || err != nil {
					t.Errorf("Drain returned %v, %v", left, err)
				}
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if len(reports) != 1 || !strings.Contains(reports[0], "Config."+field+" panicked: on purpose, in workqueue_test.") {
					t.Errorf("got reports %q, want one of Config.%s", reports, field)
				}
			})
		})
	}
}
