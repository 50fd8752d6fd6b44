package notify_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestInterrupted: two planners are stopped at random moments, also in the middle of
// transactions. Each message still has exactly one delivery, in the order of the
// transitions of each job. The same holds for digests and timers, and for planners that
// share the partitions of the feed.
func TestInterrupted(t *testing.T) {
	for _, partitions := range []int{1, 3} {
		t.Run(fmt.Sprint(partitions), func(t *testing.T) { dbtest.Each(t, func(t *testing.T, url string) { interrupted(t, url, partitions) }) })
	}
}

func interrupted(t *testing.T, url string, partitions int) {
	h := newHistory(t, url)
	const text = channels + `
rules:
- {name: ends, enter: [Failed, Succeeded], to: [hook]}
- {name: starts, enter: [Running], to: [chat], digest: 1d}
- {name: long, runs: 1h, to: [hook]}
`
	h.plan(text).stop()
	if err := feed.Divide(t.Context(), h.DB, "notify", partitions); err != nil {
		t.Fatal(err)
	}
	random := testinput.Rand(t)
	var writing sync.WaitGroup
	const jobs = 60
	writing.Go(func() {
		for i := range jobs {
			uid := fmt.Sprintf("%02d", i)
			h.write(newJob{uid: uid, version: 10*i + 1, to: job.Running, at: h.now().Add(-2 * time.Hour)})
			h.write(newJob{uid: uid, version: 10*i + 2, to: job.Failed}, newJob{uid: uid + "x", version: 10*i + 3, to: job.Running, at: h.now().Add(-2 * time.Hour)})
		}
	})
	for range 12 {
		first, second := h.begin(text), h.begin(text)
		stopAt := time.NewTimer(time.Duration(random.IntN(60)) * time.Millisecond) // an input: the moment at which the planners stop
		<-stopAt.C
		first.stop()
		second.stop()
	}
	writing.Wait()
	last := h.plan(text)
	last.settle()
	var want []string
	for i := range jobs {
		want = append(want, fmt.Sprintf("%02d/%d/Failed/ends/hook", i, 10*i+2), fmt.Sprintf("%02dx/%d/runs/long/hook", i, 10*i+3))
	}
	var got, collected []string
	for _, d := range h.deliveries() {
		if d.Kind == "Digest" {
			collected = append(collected, h.items(d)...)
		} else if key := d.Key[len("gpu-west/"):]; !firedEarly(key) {
			got = append(got, key)
		}
	}
	slices.Sort(collected)
	if n := len(collected); n != 2*jobs || len(slices.Compact(collected)) != n {
		t.Errorf("the digest has %d items, want %d different ones", n, 2*jobs)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("deliveries\n got %q\nwant %q", got, want)
	}
}

// firedEarly reports whether a key belongs to the timer of a job that failed later: the
// planner may have read the job while it still ran.
func firedEarly(key string) bool {
	var i, version int
	n, _ := fmt.Sscanf(key, "%d/%d/runs", &i, &version)
	return n == 2 && version%10 == 1
}
