package manager_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/manager"
)

// TestOverdueFunctions: the log names a function that ignores the end of its context, and says
// when it has returned. It does not name one that returns soon.
func TestOverdueFunctions(t *testing.T) {
	type add = func(*manager.Manager, string, func(context.Context) error) error
	for name, add := range map[string]add{
		"AddFunc": (*manager.Manager).AddFunc, "AddServer": (*manager.Manager).AddServer, "AddLeading": (*manager.Manager).AddLeading,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lines
				m := newManager(t, apitest.Start(t), manager.Config{
					Logger: slog.New(slog.NewTextHandler(&log, nil)), Replicas: controller.Replicas{Mode: controller.LeaderElection, Identity: "a"},
				})
				endsAfter := func(d time.Duration) func(context.Context) error {
					return func(ctx context.Context) error {
						<-ctx.Done()
						<-time.After(d)
						return nil
					}
				}
				for part, d := range map[string]time.Duration{"quick": time.Second, "slow": time.Minute} {
					if err := add(m, part, endsAfter(d)); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := m.Run(ctx); err != nil {
					t.Error(err)
				}
				for text, want := range map[string]int{"does not return": 1, "does not return after the end of its context; Run waits for it\" function=slow": 1, "has returned\" function=slow after=1m0s": 1, "function=quick": 0} {
					if got := log.count(text); got != want {
						t.Errorf("got %d lines with %q, want %d", got, text, want)
					}
				}
			})
		})
	}
}
