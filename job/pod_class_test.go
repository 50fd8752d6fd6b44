package job_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

// TestPodClass: the classes of pods and the first pod with a problem, by class and time, mean the same for
// a job as the statuses of all of its pods.
func TestPodClass(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) job.Status {
		return job.Status{
			State:  rapid.SampledFrom(append(job.States(), "", "Other")).Draw(t, "state"),
			Reason: rapid.SampledFrom([]string{"", "PodInitializing", "Unschedulable", "ErrImagePull"}).Draw(t, "reason"),
			At:     time.Unix(int64(rapid.IntRange(0, 3).Draw(t, "at")), 0),
		}
	})
	order := map[job.State]int{job.Submitted: 1, job.Queued: 1, job.Starting: 2, job.Restarting: 3}
	testinput.Check(t, func(t *rapid.T) {
		own, pods := draw.Draw(t, "own"), rapid.SliceOfN(draw, 0, 5).Draw(t, "pods")
		var want, got job.PodsStatus
		first := 0
		lowest := job.NoClass
		for _, p := range pods {
			c := p.PodClass()
			if got.Bound, got.Steady = got.Bound || c.Bound(), got.Steady || c.Steady(); c.Problem() && (lowest == job.NoClass || c < lowest || c == lowest && p.At.Before(got.Problem.At)) {
				lowest, got.Problem = c, p
			}
			if p.State == "" || p.State.Final() {
				continue
			}
			want.Bound = want.Bound || p.State != job.Submitted && p.State != job.Queued
			want.Steady = want.Steady || p.State != job.Restarting
			at := order[p.State]
			if at == 0 {
				at = 4
			}
			if p.Reason != "" && p.Reason != "PodInitializing" && (first == 0 || at < first || at == first && p.At.Before(want.Problem.At)) {
				first, want.Problem = at, p
			}
		}
		if got != want {
			t.Fatalf("%+v show %+v by their classes, want %+v", pods, got, want)
		}
		if byClass, byPods := own.WithPodsStatus(got), own.WithPods(pods); byClass != byPods {
			t.Fatalf("%+v has the status %+v by the classes of %+v, and %+v by the pods", own, byClass, pods, byPods)
		}
	})
}
