package portal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/livestream"
)

func rowChange(position, id int64, s job.State, since time.Time) jobindex.Change {
	return jobindex.Change{Position: feed.Position(position), Row: jobindex.Row{ID: id, State: s, Since: since}}
}

// TestRelay: changes reach the hub in order. They have details if the database returns them in
// time.
func TestRelay(t *testing.T) {
	for name, details := range map[string]func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error){
		"in time": func(_ context.Context, rows []jobindex.Row) (map[int64]jobview.Extra, error) {
			all := map[int64]jobview.Extra{}
			for _, r := range rows {
				all[r.ID] = jobview.Extra{Message: "m"}
			}
			return all, nil
		},
		"failing": func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error) { return nil, errors.New("away") },
		"slow": func(ctx context.Context, _ []jobindex.Row) (map[int64]jobview.Extra, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := livestream.New(livestream.Config{})
				h.Start(0, nil)
				r := newRelay(h, details)
				ctx, cancel := context.WithCancel(t.Context())
				var work sync.WaitGroup
				work.Go(func() { r.run(ctx, func() int64 { return 0 }) })
				for i := range int64(1200) {
					r.add([]jobindex.Change{rowChange(i+1, i%7, job.Running, time.Time{})})
				}
				<-time.After(5 * time.Second)
				if n := h.Stats().Entries; n != 1200 {
					t.Errorf("%d of 1,200 changes have arrived", n)
				}
				cancel()
				work.Wait()
			})
		})
	}
}

// TestRelayIsBounded: if there are too many changes, all are dropped, and each browser reloads.
func TestRelayIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := livestream.New(livestream.Config{})
		first := rowChange(1, 1, job.Queued, time.Time{})
		h.Start(0, []livestream.Change{changeOf(&first, jobview.Extra{})})
		r := newRelay(h, func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error) { return nil, nil })
		for i := range int64(maxQueue) {
			r.add([]jobindex.Change{rowChange(i+1, i, job.Running, time.Time{})})
		}
		r.add([]jobindex.Change{rowChange(maxQueue+1, 1, job.Running, time.Time{})})
		r.add([]jobindex.Change{rowChange(maxQueue+2, 1, job.Running, time.Time{})})
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { r.run(ctx, func() int64 { return maxQueue + 1 }) })
		synctest.Wait()
		if n := h.Stats().Entries; n != 1 {
			t.Errorf("the log has %d entries after the reset", n)
		}
		cancel()
		work.Wait()
	})
}

// TestDetails: details belong to the last row of a job, not to its earlier rows.
func TestDetails(t *testing.T) {
	r := newRelay(nil, func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error) {
		return map[int64]jobview.Extra{1: {Message: "the last one"}}, nil
	})
	now := time.Now()
	some := r.detailed(t.Context(), []jobindex.Change{rowChange(1, 1, job.Queued, now), rowChange(2, 1, job.Running, now.Add(time.Second))}, true)
	got := fmt.Sprint(some[0].Event.Job.Message, "|", some[1].Event.Job.Message)
	if got != "|the last one" {
		t.Errorf("got %q, want %q", got, "|the last one")
	}
}
