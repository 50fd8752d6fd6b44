package insight_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// places returns the places of jobs by their names.
func places(t *testing.T, s *scene, names ...string) map[string]int {
	t.Helper()
	var rows []jobindex.Row
	for _, name := range names {
		namespace, bare, _ := strings.Cut(name, "/")
		rows = append(rows, *s.job(namespace, bare))
	}
	found, err := s.insight.Places(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if kept := s.insight.KeptPlaces(rows); !maps.Equal(kept, found) {
		t.Errorf("kept %v, want the places that were read, %v", kept, found)
	}
	all := map[string]int{}
	for i := range rows {
		if n := found[rows[i].ID]; n != 0 {
			all[names[i]] = n
		}
	}
	return all
}

// TestPlaces: the places in a list equal those of the jobs' pages, and count jobs that the
// person may not see. A job that holds quota has no place.
func TestPlaces(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newLine(t, url)
		s.record(everything...)
		got := places(t, s, "ml/holder", "ml/second", "ml/third", "ml/last")
		if want := map[string]int{"ml/second": 2, "ml/third": 3, "ml/last": 4}; !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		for name, place := range got {
			if l := ask(t, s, name[3:], insight.Viewer{Since: ml}).Line; l == nil || l.Place != place {
				t.Errorf("%s: place %d in the list, and the page has %+v", name, place, l)
			}
		}
	})
}

// TestPlacesUnknown: without LocalQueues, and for an inactive workload, there is no place.
func TestPlacesUnknown(t *testing.T) {
	url := dbtest.Empty(t, "sqlite")
	s := newLine(t, url)
	s.record(everything[:3]...)
	if got := places(t, s, "ml/second", "ml/third"); len(got) != 0 {
		t.Errorf("without LocalQueues: %v", got)
	}
	s = newScene(t, dbtest.Empty(t, "sqlite"))
	s.create(queues)
	s.create(strings.ReplaceAll(queuedJob("ml", "idle", "ana", 8, 9, false), "queueName: train", "queueName: train\n  active: false"))
	s.create(queuedJob("ml", "next", "ana", 8, 1, false))
	s.record(everything...)
	if got := places(t, s, "ml/idle", "ml/next"); !maps.Equal(got, map[string]int{"ml/next": 1}) {
		t.Errorf("with a workload that is switched off: %v", got)
	}
}

// TestPlacesModel: the place of a workload is one more than the number of workloads of its
// ClusterQueue before it, which the test counts one by one.
func TestPlacesModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		var all []insight.Waiter
		for i := range rapid.IntRange(0, 30).Draw(t, "workloads") {
			all = append(all, insight.Waiter{
				UID: fmt.Sprintf("w%02d", i), Job: fmt.Sprint("job-", rapid.IntRange(0, 25).Draw(t, "job")), Queue: rapid.SampledFrom([]string{"a", "b", "none"}).Draw(t, "queue"),
				Priority: rapid.Int64Range(0, 2).Draw(t, "priority"), Created: begin.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "minute")) * time.Minute),
				Reserved: rapid.IntRange(0, 3).Draw(t, "reserved") == 0, Inactive: rapid.IntRange(0, 5).Draw(t, "inactive") == 0,
			})
		}
		want := map[string]int{}
		newest := map[string]insight.Waiter{}
		for _, w := range all {
			if last, ok := newest[w.Job]; !ok || w.Created.After(last.Created) {
				newest[w.Job] = w
			}
		}
		for job, w := range newest {
			if w.Reserved || w.Inactive || w.Queue == "none" {
				continue
			}
			want[job] = 1
			for _, o := range all {
				first := o.Priority > w.Priority || o.Priority == w.Priority && (o.Created.Before(w.Created) || o.Created.Equal(w.Created) && o.UID < w.UID)
				if !o.Reserved && !o.Inactive && o.Queue == w.Queue && first {
					want[job]++
				}
			}
		}
		if got := insight.PlacesIn(all); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestPlacesAreRead: a list itself reads lines that are too old. Run reads only requested
// lines.
func TestPlacesAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count atomic.Int64
		b := insight.NewLineBook(func() (string, int) { return "job", int(count.Add(1)) })
		reads := func() int { return int(count.Load()) }
		row := jobindex.Row{Namespace: "ml", ID: 7, UID: "job", ClusterUID: "c", State: "Queued", Labels: map[string]string{"kueue.x-k8s.io/queue-name": "q"}}
		place := func() int {
			found, err := b.Places(t.Context(), []jobindex.Row{row})
			if err != nil {
				t.Fatal(err)
			}
			return found[7]
		}
		if n := b.Kept([]jobindex.Row{row})[7]; n != 0 || reads() != 0 {
			t.Errorf("kept before a read: %d, %d reads", n, reads())
		}
		for range 5 {
			if n := place(); n != 1 {
				t.Errorf("got place %d, want 1", n)
			}
		}
		<-time.After(11 * time.Second)
		if n := b.Kept([]jobindex.Row{row})[7]; n != 0 {
			t.Errorf("kept for too long: %d", n)
		}
		if n := place(); n != 2 || reads() != 2 {
			t.Errorf("after 11 s place %d, %d reads", n, reads())
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); b.Run(ctx) }()
		<-time.After(20*time.Second + time.Millisecond)
		if place(); reads() < 11 || reads() > 12 {
			t.Errorf("%d reads after 20 s of Run", reads())
		}
		last := reads()
		<-time.After(10 * time.Minute)
		if reads() > last+31 {
			t.Errorf("%d reads in ten minutes without a request", reads()-last)
		}
		cancel()
		<-done
	})
}

// TestPlacesElsewhere: a newer workload of another namespace that names a job as its owner does
// not take the place of the job's workload.
func TestPlacesElsewhere(t *testing.T) {
	now := time.Now()
	got := insight.PlacesIn([]insight.Waiter{
		{UID: "w", Job: "mine", Queue: "q", Created: now},
		{UID: "x", Job: "mine", Queue: "q", Namespace: "other", Created: now.Add(time.Hour)},
	})
	if want := map[string]int{"mine": 1}; !maps.Equal(got, want) {
		t.Errorf("got the places %v, want %v", got, want)
	}
}
