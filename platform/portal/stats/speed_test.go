package stats_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/stats"
)

// many returns jobs that were submitted evenly over 90 days before now. Each waits for ten
// minutes and runs for two hours.
func many(n int, now time.Time) []jobindex.Job {
	all := make([]jobindex.Job, n)
	for i := range all {
		at := now.Add(-time.Duration(float64(90*24*time.Hour) * (1 - float64(i)/float64(n))))
		all[i] = jobindex.Job{
			ID: int64(i + 1), Cluster: "gpu-west", ClusterUID: "west", Type: "jobs.batch", Kind: "Job", Namespace: fmt.Sprint("team-", i%50), Name: fmt.Sprint("job-", i),
			UID: fmt.Sprint("uid-", i), Queue: fmt.Sprint("queue-", i%20), Owner: fmt.Sprint("owner-", i%300), Submitted: at, Presence: history.Present,
			Transitions: []job.Transition{
				{To: job.Queued, At: at},
				{To: job.Starting, At: at.Add(10 * time.Minute)},
				{To: job.Running, At: at.Add(11 * time.Minute)},
				{To: job.Succeeded, At: at.Add(131 * time.Minute)},
			},
			State: job.Succeeded, Since: at.Add(131 * time.Minute),
		}
		all[i].Facts = &job.Facts{GPUs: 8, Pods: 1}
	}
	return all
}

// BenchmarkMillion measures the answers of 24 hours and of 7 days, over 1,000,000 jobs.
func BenchmarkMillion(b *testing.B) {
	now := time.Now()
	x := open(many(1_000_000, now))
	r := stats.New(stats.Config{Index: x})
	for _, length := range []time.Duration{24 * time.Hour, 7 * 24 * time.Hour} {
		w := stats.Window{From: now.Add(-length), To: now}
		for name, ask := range map[string]func() error{
			"timeline": func() error {
				_, err := r.Timeline(b.Context(), stats.TimelineQuery{Window: w, Group: "cluster"})
				return err
			},
			"overview": func() error {
				_, err := r.Overview(b.Context(), jobindex.Query{}, w, 0, "en")
				return err
			},
			"stats": func() error {
				_, err := r.Stats(b.Context(), jobindex.Query{}, w, stats.Window{})
				return err
			},
			"compared": func() error {
				_, err := r.Stats(b.Context(), jobindex.Query{}, w, stats.Window{From: w.From.Add(-length), To: w.From})
				return err
			},
		} {
			b.Run(fmt.Sprint(name, "/", length), func(b *testing.B) {
				b.ReportAllocs()
				var took []time.Duration
				for b.Loop() {
					begin := time.Now()
					if err := ask(); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[0].Microseconds())/1000, "least-ms")
				b.ReportMetric(float64(took[(len(took)*99+99)/100-1].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
