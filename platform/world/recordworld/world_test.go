package recordworld_test

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/recordworld"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}

const jobs = 1000

// filled returns a database with a history.
func filled(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := recordworld.Fill(t.Context(), db, recordworld.Config{Seed: 1, Jobs: jobs, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return db
}

func number(t *testing.T, db *sqldb.DB, query string) (n int) {
	t.Helper()
	err := db.Query(t.Context(), query, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
	if err != nil {
		t.Fatalf("%s failed: %v", query, err)
	}
	return n
}

// TestFill checks that readers find jobs with lives, bodies and pods, and that a database
// is filled only once.
func TestFill(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := filled(t, url)
		if n := number(t, db, "SELECT COUNT(*) FROM transitions"); n < 4*jobs || n > 7*jobs {
			t.Errorf("got %d transitions of %d jobs", n, jobs)
		}
		if n := number(t, db, "SELECT COUNT(*) FROM objects o WHERE NOT EXISTS (SELECT 1 FROM transitions t WHERE t.object_id = o.id AND t.version = o.version AND t.to_state = o.state)"); n > 0 {
			t.Errorf("%d objects have a different state than their last transition", n)
		}
		if n := number(t, db, "SELECT COUNT(*) FROM objects o WHERE NOT EXISTS (SELECT 1 FROM revisions r WHERE r.object_id = o.id AND r.version = o.version)"); n > 0 {
			t.Errorf("%d objects have no body", n)
		}
		if err := recordworld.Fill(t.Context(), db, recordworld.Config{Jobs: 1, Now: time.Now()}); err == nil {
			t.Error("a database was filled twice")
		}
		x := indexOf(t, db)
		podless := 0
		err := x.View(func(v *jobindex.View) error {
			page, counts, err := v.List(jobindex.Query{Limit: 100})
			if counts.All.N != jobs {
				t.Errorf("got %d jobs in the index", counts.All.N)
			}
			for i := range page.Rows {
				r := &page.Rows[i]
				if r.Open() && (r.GPUs < 1 || r.Pods < 1) || len(r.Life) == 0 || len(r.Labels) == 0 {
					t.Errorf("%s: got %d GPUs, %d pods, life %v and labels %v", r.Name, r.GPUs, r.Pods, r.Life, r.Labels)
				}
				if r.Open() && len(podsOf(t, db, r.ID)) == 0 {
					podless++
				}
			}
			return err
		})
		if err != nil || podless > 0 {
			t.Errorf("got %v, %d open jobs without pods", err, podless)
		}
	})
}

func podsOf(t *testing.T, db *sqldb.DB, id int64) []history.Object {
	t.Helper()
	h := history.New(db)
	objects, err := h.ObjectsByID(t.Context(), []int64{id})
	if err != nil {
		t.Fatal(err)
	}
	pods, err := h.PodsOf(t.Context(), objects, 100)
	if err != nil {
		t.Fatal(err)
	}
	return pods[id]
}

// indexOf returns an index that follows a database until the test ends.
func indexOf(t *testing.T, db *sqldb.DB) *jobindex.Index {
	t.Helper()
	x := jobindex.New(jobindex.Config{DB: db, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = x.Run(ctx) // the cause of ctx
	}()
	t.Cleanup(func() { cancel(); <-ended })
	<-x.Ready()
	return x
}

// TestWriter checks that all transitions are in the feed, and that the last of them gives
// the state of its job.
func TestWriter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := filled(t, url)
		w, err := recordworld.NewWriter(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		w.Open = 200
		written := 0
		for range 40 {
			n, err := w.Write(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			written += n
		}
		if _, err := feed.Sequence(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		head, err := feed.Head(t.Context(), db)
		if err != nil || int(head) != written || written < 3900 {
			t.Errorf("got %d transitions of %d in the feed, %v", head, written, err)
		}
		states := map[job.State]int{}
		for c, err := range feed.Read(t.Context(), db, 0) {
			if err != nil {
				t.Fatal(err)
			}
			states[job.State(c.To)]++
		}
		for _, s := range []job.State{job.Submitted, job.Queued, job.Starting, job.Running, job.Succeeded} {
			if states[s] == 0 {
				t.Errorf("no transition to %s in %v", s, states)
			}
		}
		if n := number(t, db, "SELECT COUNT(*) FROM objects WHERE queue = '"+w.Watched()+"' AND state IN ('Submitted', 'Queued', 'Starting', 'Running', 'Restarting')"); n != 40 {
			t.Errorf("got %d open watched jobs", n)
		}
	})
}
