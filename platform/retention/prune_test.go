package retention_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// lives returns objects that run and end one after another, with bodies that do not
// compress well.
func lives(objects, revisions int, from wire.Version) (all []modeltest.Revision) {
	for i := range objects {
		for j := range revisions {
			s := modeltest.Revision{UID: fmt.Sprintf("%d-%d", from, i), Version: from + wire.Version(len(all)), State: job.Running}
			if j == revisions-1 {
				s.State = job.Deleted
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

// at returns the time at which a version was seen, plus some seconds.
func at(v wire.Version, later int) time.Time {
	return modeltest.Seen(v).Add(time.Duration(later) * time.Second)
}

func (d *database) write(all []modeltest.Revision) {
	d.Helper()
	for some := range slices.Chunk(all, 500) {
		if err := d.Write(d.Context(), some); err != nil {
			d.Fatal(err)
		}
	}
}

// TestPruneBesideWriter: a writer proceeds while history is pruned.
func TestPruneBesideWriter(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const objects = 300 // enough for several steps on a slow machine
		d.write(lives(objects, 10, 1))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var longest time.Duration
		batches := 0
		var work sync.WaitGroup
		work.Go(func() {
			for from := wire.Version(1_000_000); ctx.Err() == nil; from += 1000 {
				began := time.Now()
				if err := d.Write(t.Context(), lives(4, 10, from)); err != nil {
					t.Error(err)
					return
				}
				batches++
				took := time.Since(began)
				longest = max(longest, took)
				<-time.After(took) // an input: a database with a single writer is free half of the time
			}
		})
		began := time.Now()
		done, err := retention.PruneBeside(t.Context(), d.DB, retention.Policy{Keep: time.Hour}, at(10*objects, 7200))
		took := time.Since(began)
		cancel()
		work.Wait()
		if err != nil || done.Objects != objects || done.Revisions != 10*objects {
			t.Fatalf("got %v and error %v, want %d objects and %d revisions", done, err, objects, 10*objects)
		}
		t.Logf("%v in %v; concurrently %d batches, the longest %v", done, took, batches, longest)
		if batches < 5 {
			t.Errorf("a writer wrote %d batches while history was pruned, want at least 5", batches)
		}
		d.Want("SELECT COUNT(*) FROM objects WHERE uid LIKE '1-%'", "0")
	})
}

// TestPruneBySize checks that the oldest revisions are removed until the database is small
// enough. Needed revisions stay, and the result reports the excess.
func TestPruneBySize(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(300, 20, 1))
		d.write([]modeltest.Revision{{UID: "there", Version: 7000, State: job.Running, Body: "it exists"}})
		full, err := d.Size(t.Context())
		if err != nil || full.Used < 1<<20 || full.Files < full.Used {
			t.Fatalf("size: got %+v and error %v, want at least 1 MiB used", full, err)
		}
		preview, err := retention.Preview(t.Context(), d.DB, retention.Policy{MaxBytes: full.Used / 2})
		if err != nil || preview.Excess < full.Used/3 || preview.Revisions != 0 {
			t.Fatalf("preview: got %+v and error %v, want a third or more in excess, and no revision", preview, err)
		}
		done, err := retention.PruneAt(t.Context(), d.DB, retention.Policy{MaxBytes: full.Used / 2}, at(7000, 7200), 100, 1000)
		if err != nil || done.Excess != 0 || done.Objects < 100 || done.Objects > 200 {
			t.Fatalf("%v, excess %d, of %+v, %v", done, done.Excess, full, err)
		}
		t.Logf("%v: %+v, before %+v", done, done.Size, full)
		d.Want("SELECT MIN(version) FROM objects WHERE state = 'Deleted'", fmt.Sprint((done.Objects+1)*20)) // the oldest objects were removed
		if strings.HasPrefix(d.url, "sqlite") && (done.Size.Used > full.Used/2 || done.Size.Files > full.Files*2/3) {
			t.Errorf("got size %+v, before %+v, want at most half used and two thirds of the files", done.Size, full)
		}
		for range 5 { // servers only estimate the size
			done, err = retention.PruneAt(t.Context(), d.DB, retention.Policy{MaxBytes: 100}, at(7000, 7200), 100, 1000)
			if err != nil || strings.HasPrefix(d.url, "sqlite") && done.Excess == 0 {
				t.Fatalf("got %v, excess %d, error %v; want some excess left", done, done.Excess, err)
			}
		}
		d.Want("SELECT uid FROM objects", "there")
		body, err := d.Body(t.Context(), "there", 7000)
		if err != nil || string(body) != "it exists" {
			t.Errorf("got body %q and error %v, want it exists", body, err)
		}
	})
}

// TestPruneYoung: the size removes nothing of the last hour.
func TestPruneYoung(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(30, 10, 1))
		done, err := retention.PruneAt(t.Context(), d.DB, retention.Policy{MaxBytes: 1}, at(100, 3600), 100, 1000)
		if err != nil || done.Objects != 9 || done.Excess == 0 {
			t.Fatalf("got %v, excess %d, error %v; want 9 objects removed and some excess left", done, done.Excess, err)
		}
	})
}

// TestPreview: Prune removes what Preview has counted.
func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(30, 10, 1)) // long ago
		d.Exec("INSERT INTO labels (object_id, name, value) SELECT id, 'app', 'train' FROM objects")
		r := retention.Policy{Keep: time.Hour}
		preview, err := retention.Preview(t.Context(), d.DB, r)
		if err != nil || preview.Objects != 30 || preview.Revisions != 300 {
			t.Fatalf("preview: got %v and error %v, want 30 objects and 300 revisions", preview, err)
		}
		d.Want("SELECT COUNT(*) FROM revisions", "300")
		done, err := retention.Prune(t.Context(), d.DB, r)
		if err != nil || done.Objects != preview.Objects || done.Revisions != preview.Revisions || done.Transitions != preview.Transitions || preview.Transitions == 0 {
			t.Fatalf("got %v, %v, but the preview was %v", done, err, preview)
		}
		d.Want("SELECT COUNT(*) FROM transitions", "0")
		d.Want("SELECT COUNT(*) FROM labels", "0")
	})
}

// TestPruneOneAtATime checks that only one process prunes at a time.
func TestPruneOneAtATime(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(200, 10, 1))
		done := make(chan retention.Result, 4)
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				p, err := retention.Prune(t.Context(), d.DB, retention.Policy{Keep: time.Hour})
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
			t.Errorf("got %d removed objects and %d busy calls", objects, busy)
		}
	})
}

// TestPolicyIsChecked: an invalid policy is an error.
func TestPolicyIsChecked(t *testing.T) {
	for _, r := range []retention.Policy{
		{Keep: -1},
		{KeepBodies: -1},
		{Every: -1},
		{MaxBytes: -1},
		{Rules: []retention.Rule{{States: []job.State{job.Failed}}}},
		{Rules: []retention.Rule{{States: []job.State{job.Deleted}, Keep: time.Hour}}},
		{Rules: []retention.Rule{{Keep: time.Hour}}},
	} {
		d := open(t, dbtest.Empty(t, "sqlite"))
		if _, err := retention.Prune(t.Context(), d.DB, r); err == nil {
			t.Errorf("%+v was taken, want an error", r)
		}
	}
}
