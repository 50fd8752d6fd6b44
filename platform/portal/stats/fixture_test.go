package stats_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// begin is when tests begin.
var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// minutes returns an instant after the beginning.
func minutes(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// draw draws jobs that are submitted within some hours.
func draw(t *rapid.T) (all []jobindex.Job) {
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	for i := range rapid.IntRange(0, 40).Draw(t, "jobs") {
		j := jobindex.Job{
			ID: int64(i + 1), Cluster: one("cluster", "west", "east"), Type: "jobs.batch", Kind: "Job",
			Namespace: one("namespace", "ml", "web"), Name: fmt.Sprint("job-", i), UID: fmt.Sprint("uid-", i),
			Queue: one("queue", "", "a100", "h100"), Owner: one("owner", "", "ana", "ben"), Presence: history.Present,
		}
		j.ClusterUID = "uid-" + j.Cluster
		if gpus := rapid.SampledFrom([]int{-1, 0, 1, 8, 32}).Draw(t, "gpus"); gpus >= 0 {
			j.Facts = &job.Facts{GPUs: gpus, Pods: 1}
		}
		at := rapid.IntRange(0, 600).Draw(t, "submitted")
		j.Submitted = minutes(at)
		for _, s := range rapid.SampledFrom([][]job.State{
			{job.Submitted},
			{job.Queued, job.Running},
			{job.Submitted, job.Queued, job.Starting, job.Running, job.Succeeded},
			{job.Queued, job.Running, job.Restarting, job.Running, job.Failed},
			{job.Queued, job.Suspended, job.Queued, job.Running, job.Aborted},
			{job.Queued, job.Failed},
		}).Draw(t, "life") {
			j.Transitions = append(j.Transitions, job.Transition{To: s, At: minutes(at)})
			j.State, j.Since = s, minutes(at)
			at += rapid.IntRange(0, 120).Draw(t, "stay")
		}
		if j.State == job.Failed {
			j.Reason = one("reason", "BackoffLimitExceeded", "DeadlineExceeded", "")
		}
		all = append(all, j)
	}
	return all
}

// open returns an index of jobs.
func open(all []jobindex.Job) *jobindex.Index {
	x := jobindex.New(jobindex.Config{})
	x.Put(all)
	return x
}
