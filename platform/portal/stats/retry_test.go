package stats_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/recordworld"
)

// limited is a context that ends after some uses.
type limited struct {
	context.Context
	left atomic.Int64
	end  context.CancelFunc
}

func newLimited(ctx context.Context, uses int64) *limited {
	ctx, end := context.WithCancel(ctx)
	l := &limited{Context: ctx, end: end}
	l.left.Store(uses)
	return l
}

// Done implements context.Context.
func (l *limited) Done() <-chan struct{} {
	if l.left.Add(-1) < 0 {
		l.end()
	}
	return l.Context.Done()
}

// TestStatsContinue: a canceled request keeps the ends of pods that it has read, so later requests
// become complete.
func TestStatsContinue(t *testing.T) {
	db, err := sqldb.Open(t.Context(), dbtest.Empty(t, "sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := recordworld.Fill(t.Context(), db, recordworld.Config{Seed: 1, Jobs: 2000, Now: now}); err != nil {
		t.Fatal(err)
	}
	x := jobindex.New(jobindex.Config{DB: db, Logger: slog.New(slog.DiscardHandler)})
	running, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { _ = x.Run(running) }) // the cause of its context
	defer work.Wait()
	defer cancel()
	<-x.Ready()
	ask := func(r *stats.Reader, uses int64) (int64, error) {
		ctx := newLimited(t.Context(), uses)
		defer ctx.end()
		_, err := r.Stats(ctx, jobindex.Query{}, stats.Window{From: now.Add(-20 * 24 * time.Hour), To: now}, stats.Window{})
		return uses - ctx.left.Load(), err
	}
	all, err := ask(stats.New(stats.Config{DB: db, Index: x}), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	r := stats.New(stats.Config{DB: db, Index: x})
	for try := 0; ; try++ {
		_, err := ask(r, all/4)
		if err == nil && try > 0 {
			return
		}
		if try > 20 || err == nil {
			t.Fatalf("after %d requests: %v", try+1, err)
		}
	}
}
