package insight

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// parts are the sources of answers.
type parts struct {
	index   *jobindex.Index
	source  source
	kueue   *kueueReader
	samples *sampler
	logs    *joblog.Store
	now     func() time.Time
}

// pods returns the recorded pods of a job that the person may see.
func (p *parts) pods(ctx context.Context, r *jobindex.Row, v *Viewer) ([]history.Object, error) {
	if !v.seesPods(r.Cluster, r.Namespace) {
		return nil, nil
	}
	jobs, err := p.source.history.ObjectsByID(ctx, []int64{r.ID})
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	byJob, err := p.source.history.PodsOf(ctx, jobs, maxPods)
	return byJob[r.ID], err
}

// maxPods is the maximum number of pods that are read of a job.
const maxPods = 2000

// poolOf returns the pool of jobs with which a job competes.
func poolOf(k *kueueWorld, cluster, namespace, queue string) *pool {
	q := k.clusterQueueOf(namespace, queue)
	if q == nil {
		return &pool{cluster: cluster, queues: []string{queue}}
	}
	p := &pool{cluster: cluster, clusterQueue: q.name}
	for _, l := range k.localQueues {
		if l.clusterQueue == q.name {
			p.queues = append(p.queues, l.name)
		}
	}
	p.has = func(namespace, queue string) bool { return k.clusterQueueOf(namespace, queue) == q }
	return p
}

// past describes past jobs: how long jobs like one waited and ran, and its likely start.
type past struct {
	like    *api.LikeJobs
	start   *api.LikelyStart
	ran     time.Duration
	ranJobs int
	unknown []string
}

// past describes past jobs for a job that has waited for some time. inLine means that it still
// waits.
func (p *parts) past(pool *pool, queue string, gpus int, waited time.Duration, inLine bool, s *words.Speaker) (all past, err error) {
	sample, err := p.samples.of(pool)
	if err != nil {
		return all, err
	}
	of, size := like(sample.waits, gpus)
	if all.like = describe(of, waited); all.like != nil {
		all.like.What = size.what(s, queue)
	} else {
		n := int64(0)
		for _, w := range of {
			if w.Started {
				n++
			}
		}
		all.unknown = append(all.unknown, s.Say("unknown.like", "jobs", s.Count("job", n), "days", words.Thousands(likeDays)))
	}
	all.ran, all.ranJobs = ranLike(sample.ran, gpus)
	if !inLine {
		return all, nil
	}
	v := p.samples.verdictOf(sample, size, of)
	f, ok := likely.Predict(of, sample.readAt, waited)
	switch now := p.now(); {
	case v.Tested < likely.LeastTested:
		all.unknown = append(all.unknown, s.Say("unknown.likely.few", "jobs", s.Count("job", int64(v.Tested)), "least", words.Thousands(likely.LeastTested)))
	case !v.Holds():
		all.unknown = append(all.unknown, s.Say("unknown.likely.untrue", "share", s.Percent(min(v.Held, v.Lately)), "jobs", s.Count("job", int64(v.Tested)), "least", s.Percent(likely.LeastHeld)))
	case !ok:
		all.unknown = append(all.unknown, s.Say("unknown.likely.long"))
	default:
		all.start = &api.LikelyStart{Early: now.Add(f.Early), Half: now.Add(f.Half), Late: now.Add(f.Late), Held: v.Held, Tested: v.Tested}
	}
	return all, nil
}

// ranLike returns the median of the run times of jobs of a size, widened as for waits, and
// the number of these jobs.
func ranLike(all []ran, gpus int) (time.Duration, int) {
	var of []time.Duration
	for _, size := range steps(gpus) {
		of = of[:0]
		for _, r := range all {
			if size.has(r.gpus) {
				of = append(of, r.length)
			}
		}
		if len(of) >= enoughLike {
			break
		}
	}
	if len(of) < leastLike {
		return 0, 0
	}
	return medianOf(of), len(of)
}
