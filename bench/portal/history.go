package portal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/recordworld"
)

// history is a database with jobs, and its writer.
type history struct {
	db     *sqldb.DB
	url    string
	writer *recordworld.Writer
}

// openHistory opens the database of a task. It fills an empty one with Task.N jobs.
func openHistory(ctx context.Context, t *contest.Task) (*history, error) {
	h := &history{url: os.Getenv("VEDETTE_BENCH_" + strings.ToUpper(t.Database))}
	var err error
	if h.url == "" {
		if h.url, err = dbtest.New(ctx, t.Database, t.Dir); err != nil {
			return nil, err
		}
	}
	if h.db, err = sqldb.Open(ctx, h.url); err != nil {
		return nil, err
	}
	if _, err = h.db.Migrate(ctx); err == nil {
		err = h.fill(ctx, t.N)
	}
	if err == nil {
		h.writer, err = recordworld.NewWriter(ctx, h.db)
	}
	if err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	return h, nil
}

func (h *history) fill(ctx context.Context, n int) error {
	var objects int64
	if err := h.db.QueryRow(ctx, "SELECT COUNT(*) FROM (SELECT id FROM objects LIMIT 1) o").Scan(&objects); err != nil || objects > 0 {
		return err
	}
	return recordworld.Fill(ctx, h.db, recordworld.Config{Seed: 1, Jobs: n, Now: time.Now()})
}

// recorder commits transitions at a rate, as a recorder does.
type recorder struct {
	cancel  context.CancelFunc
	work    sync.WaitGroup
	written int
	behind  time.Duration // the maximum delay of a transaction
	err     error
}

// batchTime is the interval of a recorder's commits.
const batchTime = 40 * time.Millisecond

// record commits transitions until stop.
func (h *history) record(ctx context.Context, rate int) *recorder {
	ctx, cancel := context.WithCancel(ctx)
	r := &recorder{cancel: cancel}
	s := feed.NewSequencer(h.db, slog.Default)
	r.work.Go(func() { s.Run(ctx) })
	r.work.Go(func() {
		begun := time.Now()
		ticker := time.NewTicker(batchTime)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			due := int(time.Since(begun).Seconds() * float64(rate))
			if due > r.written {
				n, err := h.writer.Write(context.WithoutCancel(ctx), min(due-r.written, rate))
				if r.err = err; err != nil {
					return
				}
				r.written += n
				s.Wake()
				r.behind = max(r.behind, time.Since(begun)-time.Duration(r.written)*time.Second/time.Duration(rate))
			}
		}
	})
	return r
}

// stop ends a recorder. Afterwards the feed has everything that it committed.
func (r *recorder) stop(ctx context.Context, h *history) error {
	r.cancel()
	r.work.Wait()
	_, err := feed.Sequence(ctx, h.db)
	return errors.Join(r.err, err)
}
