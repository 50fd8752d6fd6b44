package insight

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// TestSampleIsTheNewest: the sample of a queue with many jobs has the last waits, and does not
// read earlier jobs.
func TestSampleIsTheNewest(t *testing.T) {
	now := time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)
	const n = 20_000
	jobs := make([]jobindex.Job, n)
	for i := range jobs {
		at := now.Add(-time.Duration(n-i) * time.Minute)
		jobs[i] = jobindex.Job{
			ID: int64(i + 1), Cluster: "west", ClusterUID: "uid-west", Type: "jobs.batch", Kind: "Job", Namespace: "ml", Name: fmt.Sprint("job-", i), UID: fmt.Sprint("uid-", i), Queue: "gpu",
			Submitted: at, Presence: history.Present, State: job.Succeeded, Since: at.Add(3 * time.Minute),
			Transitions: []job.Transition{{To: job.Queued, At: at}, {To: job.Running, At: at.Add(time.Minute)}, {To: job.Succeeded, At: at.Add(3 * time.Minute)}},
		}
	}
	x := jobindex.New(jobindex.Config{})
	x.Put(jobs)
	read := 0
	p := &pool{cluster: "west", queues: []string{"gpu"}, has: func(string, string) bool { read++; return true }}
	s, err := newSampler(x, func() time.Time { return now }).of(p)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := jobs[n-maxWaits].Submitted, jobs[n-1].Submitted; len(s.waits) != maxWaits || !s.waits[0].Began.Equal(first) || !s.waits[maxWaits-1].Began.Equal(last) {
		t.Errorf("%d waits from %v to %v, want from %v to %v", len(s.waits), s.waits[0].Began, s.waits[len(s.waits)-1].Began, first, last)
	}
	if read != enoughWaits || len(s.ran) != maxWaits {
		t.Errorf("%d jobs were read, want %d; %d ran", read, enoughWaits, len(s.ran))
	}
}
