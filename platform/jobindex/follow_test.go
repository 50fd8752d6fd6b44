package jobindex_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// lines is a log handler that sends its messages.
type lines chan string

func (l lines) Enabled(context.Context, slog.Level) bool { return true }

func (l lines) Handle(_ context.Context, r slog.Record) error {
	l <- r.Message
	return nil
}

func (l lines) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l lines) WithGroup(string) slog.Handler      { return l }

const jobBody = `{"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]}}}}`

// put writes one revision.
func put(t *testing.T, db *modeltest.Database, uid string, version wire.Version, s job.State) {
	t.Helper()
	if err := db.Write(t.Context(), []modeltest.Revision{{UID: uid, Version: version, State: s, Body: jobBody}}); err != nil {
		t.Fatal(err)
	}
}

// TestRun: an index becomes ready, reports changes in the order of the feed, survives an
// outage of the database, reports it, and ends with its context.
func TestRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := modeltest.Open(t, url)
		put(t, db, "a", 1, job.Queued)
		changes, log := make(chan jobindex.Change, 100), make(lines, 100)
		x := jobindex.New(jobindex.Config{DB: db.DB, Logger: slog.New(log), Changed: func(some []jobindex.Change) {
			for _, c := range some {
				changes <- c
			}
		}})
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		patience.Closed(t, "the index is ready", x.Ready())
		if x.Done() != 1 || x.Position() != 1 || !x.Stale().IsZero() || x.Bytes() == 0 {
			t.Errorf("done %v at position %d, stale since %v, %d bytes", x.Done(), x.Position(), x.Stale(), x.Bytes())
		}
		for i, s := range []job.State{job.Starting, job.Running} {
			put(t, db, "a", wire.Version(i+2), s)
			c := patience.Receive(t, "change", changes)
			if c.Position != feed.Position(i+2) || c.Kind != feed.New || c.Row.State != s || c.New || c.Row.GPUs != 8 || !c.Seen.Equal(modeltest.Seen(wire.Version(i+2))) {
				t.Errorf("got change %+v, want the new transition to %s, in order", c, s)
			}
		}
		db.Exec("ALTER TABLE feed_head RENAME TO feed_gone")
		if line := patience.Receive(t, "line", log); line != "the job index cannot read the database" || x.Stale().IsZero() {
			t.Errorf("got the line %q, stale since %v; want that the database cannot be read, and a time", line, x.Stale())
		}
		db.Exec("ALTER TABLE feed_gone RENAME TO feed_head")
		put(t, db, "b", 4, job.Queued)
		if c := patience.Receive(t, "change", changes); !c.New || c.Before != "" || c.Row.UID != "b" || c.Position != 4 {
			t.Errorf("got change %+v, want the new job b at position 4", c)
		}
		if line := patience.Receive(t, "line", log); line != "the job index reads the database" || !x.Stale().IsZero() {
			t.Errorf("got the line %q, stale since %v; want that the database is read, and no time", line, x.Stale())
		}
		why := errors.New("over")
		cancel(why)
		if err := patience.Receive(t, "end", ended); !errors.Is(err, why) {
			t.Errorf("Run: got %v, want %v", err, why)
		}
		if len(log) > 0 {
			t.Errorf("got %d more lines, want none: %q", len(log), <-log)
		}
	})
}

// TestReload: an index whose position is no longer in the feed loads everything again, and
// reports it.
func TestReload(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		want       error
	}{
		"expired":  {[]string{"DELETE FROM feed", "UPDATE feed_head SET oldest = position"}, feed.ErrExpired},
		"restored": {[]string{"DELETE FROM feed", "UPDATE feed_head SET oldest = 0, position = 0"}, feed.ErrAhead},
	} {
		t.Run(name, func(t *testing.T) {
			db := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
			var reason error
			x := jobindex.New(jobindex.Config{DB: db.DB, Reloaded: func(err error, _ feed.Position) { reason = errors.Join(reason, err) }})
			r := jobindex.NewRunner(x)
			put(t, db, "a", 1, job.Queued)
			if err := r.Settle(t.Context(), false); err != nil || reason != nil {
				t.Fatalf("error %v, loaded again because of %v; want neither", err, reason)
			}
			put(t, db, "a", 2, job.Running)
			put(t, db, "b", 3, job.Running)
			if _, err := feed.Sequence(t.Context(), db.DB); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.statements {
				db.Exec(s)
			}
			if err := r.Settle(t.Context(), false); err != nil || !errors.Is(reason, c.want) {
				t.Fatalf("%v, loaded again because of %v", err, reason)
			}
			counts := countAll(t, x)
			if counts.States[job.Running].N != 2 || counts.All.N != 2 {
				t.Errorf("got counts %+v, want 2 jobs, both Running", counts)
			}
		})
	}
}

func countAll(t *testing.T, x *jobindex.Index) (c jobindex.Counts) {
	t.Helper()
	err := x.View(func(v *jobindex.View) error {
		c = v.Count(jobindex.Query{})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFactsOfRow: the facts of a job are those of its row, without its body: a damaged body
// changes nothing, and a job without recorded facts has unknown ones.
func TestFactsOfRow(t *testing.T) {
	db := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
	x := jobindex.New(jobindex.Config{DB: db.DB})
	r := jobindex.NewRunner(x)
	for _, when := range []string{"at the load", "later"} {
		put(t, db, "good "+when, 1, job.Running)
		put(t, db, "bad "+when, 2, job.Running)
		put(t, db, "unknown "+when, 3, job.Running)
		db.Exec("UPDATE jobs SET gpus = NULL WHERE object_id = (SELECT id FROM objects WHERE uid = 'unknown " + when + "')")
		db.Exec("UPDATE revisions SET data = X'00ff00' WHERE object_id = (SELECT id FROM objects WHERE uid = 'bad " + when + "')")
		if err := r.Settle(t.Context(), false); err != nil {
			t.Fatalf("%s: settling failed: %v", when, err)
		}
		err := x.View(func(v *jobindex.View) error {
			good, _ := v.Job("a", "good "+when, time.Time{})
			bad, ok := v.Job("a", "bad "+when, time.Time{})
			unknown, known := v.Job("a", "unknown "+when, time.Time{})
			if good.GPUs != 8 || bad.GPUs != 8 || unknown.GPUs != -1 || !ok || !known {
				t.Errorf("%s: got %d, %d and %d GPUs, want 8, 8 and -1", when, good.GPUs, bad.GPUs, unknown.GPUs)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemoved: a job that retention has removed leaves the index, which reports it once.
func TestRemoved(t *testing.T) {
	db := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
	var removed []string
	x := jobindex.New(jobindex.Config{DB: db.DB, Changed: func(all []jobindex.Change) {
		for _, c := range all {
			if c.Removed {
				removed = append(removed, c.Row.UID)
			}
		}
	}})
	r := jobindex.NewRunner(x)
	put(t, db, "a", 1, job.Failed)
	put(t, db, "b", 2, job.Failed)
	if err := r.Settle(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	db.Exec("DELETE FROM objects WHERE uid = 'a'")
	for range 2 {
		if err := r.Settle(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	for version := range wire.Version(3) {
		put(t, db, "c", version+3, []job.State{job.Queued, job.Running, job.Failed}[version])
	}
	if err := r.Settle(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	put(t, db, "c", 6, job.Deleted)
	db.Exec("INSERT INTO feed_outbox (object_id, version, kind) SELECT id, 6, 3 FROM objects WHERE uid = 'c'")
	db.Exec("DELETE FROM objects WHERE uid = 'c'") // its entries in the feed stay
	if err := r.Settle(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if len(removed) != 2 || removed[1] != "c" {
		t.Errorf("removed %q, want two, c last", removed)
	}
	if c := countAll(t, x); c.All.N != 1 || removed[0] != "a" {
		t.Errorf("got %d jobs, removed %q; want 1, with a removed first", c.All.N, removed)
	}
}
