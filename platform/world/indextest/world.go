package indextest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/wire"
)

// World makes jobs up.
type World struct {
	random *rand.Rand
	now    time.Time
	length time.Duration
	count  int
}

// Days is how many days the history of a world covers.
const Days = 30

// NewWorld returns a world in which a number of jobs were submitted within 30 days before a
// time.
func NewWorld(seed uint64, jobs int, now time.Time) *World {
	return &World{random: rand.New(rand.NewPCG(seed, 0)), now: now, length: Days * 24 * time.Hour, count: jobs}
}

// Fill puts all jobs of a world into an index.
func (w *World) Fill(x *jobindex.Index) {
	const atOnce = 10_000
	var some []jobindex.Job
	for i := range w.count {
		if some = append(some, w.Job(i)); len(some) == atOnce || i == w.count-1 {
			x.Put(some)
			some = some[:0]
		}
	}
}

var (
	types = [][2]string{{"jobs.batch", "Job"}, {"pytorchjobs.kubeflow.org", "PyTorchJob"}, {"rayjobs.ray.io", "RayJob"}, {"jobs.batch.volcano.sh", "Job"}}
	bases = []string{"llama-70b-pretrain", "eval-mmlu", "tokenize-shard", "sweep-lr", "qwen-sft", "stable-diffusion-ft", "nightly-regression", "data-dedup"}
	teams = []string{"llm", "vision", "speech", "infra", "data"}
	fails = []string{"OOMKilled", "Error", "Evicted", "DeadlineExceeded", "NodeLost", "BackoffLimitExceeded"}
)

// between returns a number of a range.
func (w *World) between(from, to int) int { return from + w.random.IntN(to-from+1) }

// seconds returns a duration of a range.
func (w *World) seconds(from, to int) time.Duration {
	return time.Duration(w.between(from*1000, to*1000)) * time.Millisecond
}

// Job returns the job with a number from 0, which was submitted after those with smaller
// numbers. Its ID is the number plus 1. Call it in the order of the numbers.
func (w *World) Job(i int) jobindex.Job {
	submitted := w.now.Add(-w.length + time.Duration(float64(w.length)*float64(i)/float64(w.count))).Truncate(time.Microsecond)
	t := types[min(w.between(0, 5), len(types)-1)]
	team := teams[w.random.IntN(len(teams))]
	cluster := w.between(1, 2)
	j := jobindex.Job{
		ID: int64(i) + 1, Cluster: fmt.Sprint("cluster-", cluster), ClusterUID: fmt.Sprintf("0c0ffee0-0000-4000-8000-00000000000%d", cluster),
		Type: t[0], Kind: t[1], Namespace: fmt.Sprintf("team-%s-%d", team, w.between(0, 49)), Name: fmt.Sprintf("%s-%06x", bases[w.random.IntN(len(bases))], i),
		UID:   fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", w.random.Uint32(), i&0xffff, i&0xfff, i>>12&0xfff, w.random.Uint64()&0xffffffffffff),
		Queue: fmt.Sprintf("queue-%d", w.between(0, 39)), Owner: fmt.Sprintf("user-%d", w.between(0, 1999)), Submitted: submitted, Version: wire.Version(1000 + 7*i),
		Facts: &job.Facts{GPUs: 1 << w.between(0, 7), Pods: w.between(1, 16), Priority: []string{"", "low", "high"}[w.between(0, 2)]},
	}
	j.Labels = map[string]string{"team": team, "app": bases[w.random.IntN(len(bases))], "budget": fmt.Sprintf("2026-q%d", w.between(1, 4)), "batch.kubernetes.io/job-name": j.Name, "controller-uid": j.UID}
	w.live(&j)
	return j
}

// live gives a job its life: it waits, starts, runs, sometimes restarts, and ends.
func (w *World) live(j *jobindex.Job) {
	at := j.Submitted
	enter := func(s job.State, after time.Duration) {
		if at = at.Add(after); at.Before(w.now) {
			j.Transitions = append(j.Transitions, job.Transition{To: s, At: at})
			j.State, j.Since = s, at
		}
	}
	enter(job.Submitted, 0)
	enter(job.Queued, w.seconds(0, 2))
	enter(job.Starting, w.seconds(10, 3600))
	enter(job.Running, w.seconds(5, 60))
	if w.between(0, 9) == 0 {
		enter(job.Restarting, w.seconds(60, 3600))
		enter(job.Running, w.seconds(5, 60))
	}
	switch w.between(0, 9) {
	case 0:
		enter(job.Aborted, w.seconds(60, 14_400))
	case 1, 2:
		enter(job.Failed, w.seconds(60, 14_400))
	default:
		enter(job.Succeeded, w.seconds(60, 14_400))
	}
	if j.State == job.Failed {
		j.Reason = fails[w.random.IntN(len(fails))]
	}
	if j.State.Final() && w.between(0, 3) == 0 {
		j.Presence, j.Deleted = history.Deleted, j.Since.Add(w.seconds(60, 7200))
		j.Transitions = append(j.Transitions, job.Transition{To: job.Deleted, At: j.Deleted})
	}
}

// Next returns the job after a transition that it might make at a time: to Restarting and
// Running in turn.
func Next(j jobindex.Job, at time.Time) jobindex.Job {
	next := job.Running
	if j.State == job.Running {
		next = job.Restarting
	}
	j.Transitions = append(j.Transitions[:len(j.Transitions):len(j.Transitions)], job.Transition{To: next, At: at})
	j.State, j.Since, j.Version = next, at, j.Version+1
	return j
}
