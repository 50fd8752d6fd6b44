package record_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// lives are objects that run and end one after the other, with bodies that do not pack
// to nothing.
func lives(objects, revisions int, from wire.Version) (all []record.Seen) {
	for i := range objects {
		for j := range revisions {
			s := record.Seen{UID: fmt.Sprintf("%d-%d", from, i), Version: from + wire.Version(len(all)), State: state.Running}
			if j == revisions-1 {
				s.State = state.Deleted
			}
			var b strings.Builder
			for k := range 40 {
				fmt.Fprintf(&b, "%x", (int(s.Version)*7919+k*104729)%1_000_003)
			}
			s.Body = b.String()
			all = append(all, s)
		}
	}
	return all
}

// at is when a version was seen, and some seconds.
func at(v wire.Version, later int) time.Time {
	return time.Unix(1_700_000_000+int64(v)+int64(later), 0)
}

func (w *world) write(all []record.Seen) {
	w.t.Helper()
	for some := range slices.Chunk(all, 500) {
		if _, err := w.d.Write(w.t.Context(), some); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestPruneBesideWriter: while the history is shortened a writer goes on, and no
// batch of it waits for more than a few steps.
func TestPruneBesideWriter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		const objects = 100
		w.write(lives(objects, 10, 1))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var longest time.Duration
		batches := 0
		var work sync.WaitGroup
		work.Go(func() {
			for from := wire.Version(1_000_000); ctx.Err() == nil; from += 1000 {
				began := time.Now()
				if _, err := w.d.Write(t.Context(), lives(4, 10, from)); err != nil {
					t.Error(err)
					return
				}
				batches++
				took := time.Since(began)
				longest = max(longest, took)
				<-time.After(took) // a database of one writer at a time is asked for by nobody half of the time
			}
		})
		began := time.Now()
		done, err := w.d.PruneBeside(t.Context(), record.Retention{Keep: time.Hour}, at(10*objects, 7200))
		took := time.Since(began)
		cancel()
		work.Wait()
		if err != nil || done.Objects != objects || done.Revisions != 10*objects {
			t.Fatalf("%v, %v", done, err)
		}
		t.Logf("%v in %v; beside it %d batches, the longest %v", done, took, batches, longest)
		if longest > 3*time.Second || batches < 5 {
			t.Errorf("in %v a writer wrote %d batches, and the longest took %v", took, batches, longest)
		}
		w.until("SELECT COUNT(*) FROM objects WHERE uid LIKE '1-%'", "0")
	})
}

// TestPruneBySize: the oldest go until the database is as small as it may be; what is
// needed stays, and how much that is too large is said.
func TestPruneBySize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.write(lives(300, 20, 1))
		w.write([]record.Seen{{UID: "there", Version: 7000, State: state.Running, Body: "it is there"}})
		w.counted(url, 6001)
		full, err := w.d.Size(t.Context())
		if err != nil || full.Used < 1<<20 || full.Files < full.Used {
			t.Fatalf("%+v, %v", full, err)
		}
		dry, err := w.d.PruneDry(t.Context(), record.Retention{MaxBytes: full.Used / 2})
		if err != nil || dry.Over < full.Used/3 || dry.Revisions != 0 {
			t.Fatalf("%+v, %v", dry, err)
		}
		done, err := w.d.PruneAt(t.Context(), record.Retention{MaxBytes: full.Used / 2}, at(7000, 7200), 100, 1000)
		if err != nil || done.Over != 0 || done.Objects < 100 || done.Objects > 200 {
			t.Fatalf("%v, over %d, of %+v, %v", done, done.Over, full, err)
		}
		t.Logf("%v: %+v, before %+v", done, done.Size, full)
		w.until("SELECT MIN(version) FROM objects WHERE state = 'Deleted'", fmt.Sprint((done.Objects+1)*20)) // the oldest have gone
		if strings.HasPrefix(url, "sqlite") && (done.Size.Used > full.Used/2 || done.Size.Files > full.Files*2/3) {
			t.Errorf("%+v, before %+v", done.Size, full)
		}
		for range 5 { // servers estimate
			done, err = w.d.PruneAt(t.Context(), record.Retention{MaxBytes: 100}, at(7000, 7200), 100, 1000)
			if err != nil || strings.HasPrefix(url, "sqlite") && done.Over == 0 {
				t.Fatalf("%v, over %d, %v", done, done.Over, err)
			}
		}
		w.until("SELECT uid FROM objects", "there")
		body, err := w.d.Body(t.Context(), "there", 7000)
		if err != nil || string(body) != "it is there" {
			t.Errorf("%q, %v", body, err)
		}
	})
}

// counted waits until PostgreSQL has counted the rows, which it does after a second.
func (w *world) counted(url string, revisions int) {
	if strings.HasPrefix(url, "postgres") {
		w.until("SELECT n_live_tup FROM pg_stat_user_tables WHERE relname = 'revisions'", fmt.Sprint(revisions))
	}
}

// TestPruneYoung: of the last hour size removes nothing.
func TestPruneYoung(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.write(lives(30, 10, 1))
		w.counted(url, 300)
		done, err := w.d.PruneAt(t.Context(), record.Retention{MaxBytes: 1}, at(100, 3600), 100, 1000)
		if err != nil || done.Objects != 9 || done.Over == 0 {
			t.Fatalf("%v, over %d, %v", done, done.Over, err)
		}
	})
}

// TestPruneDry: what it counts is what is removed then.
func TestPruneDry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.write(lives(30, 10, 1)) // long ago
		w.rows("INSERT INTO labels (object_id, name, value) SELECT id, 'app', 'train' FROM objects")
		r := record.Retention{Keep: time.Hour}
		dry, err := w.d.PruneDry(t.Context(), r)
		if err != nil || dry.Objects != 30 || dry.Revisions != 300 {
			t.Fatalf("%v, %v", dry, err)
		}
		w.until("SELECT COUNT(*) FROM revisions", "300")
		done, err := w.d.Prune(t.Context(), r)
		if err != nil || done.Objects != dry.Objects || done.Revisions != dry.Revisions || done.Transitions != dry.Transitions || dry.Transitions == 0 {
			t.Fatalf("%v, %v, and was to be %v", done, err, dry)
		}
		w.until("SELECT COUNT(*) FROM transitions", "0")
		w.until("SELECT COUNT(*) FROM labels", "0")
	})
}

// TestPruneOneAtATime: while one does it, others do nothing.
func TestPruneOneAtATime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.write(lives(200, 10, 1))
		done := make(chan record.Pruned, 4)
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				p, err := w.d.Prune(t.Context(), record.Retention{Keep: time.Hour})
				if err != nil {
					t.Error(err)
				}
				done <- p
			})
		}
		work.Wait()
		close(done)
		objects, busy := 0, 0
		for p := range done {
			if objects += p.Objects; p.Busy {
				busy++
			}
		}
		if objects != 200 || busy == 0 {
			t.Errorf("%d objects were removed, and %d found somebody at it", objects, busy)
		}
	})
}

// TestRetentionRefuses: what can not be meant.
func TestRetentionRefuses(t *testing.T) {
	for _, r := range []record.Retention{
		{Keep: -1},
		{KeepBodies: -1},
		{Every: -1},
		{MaxBytes: -1},
		{PerState: map[state.State]time.Duration{state.Failed: 0}},
		{PerState: map[state.State]time.Duration{state.Deleted: time.Hour}},
	} {
		w := newWorld(t, "sqlite:"+t.TempDir()+"/x.db")
		if _, err := w.d.Prune(t.Context(), r); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
}
