package insight

import (
	"context"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// Planned is a job that is not submitted yet.
type Planned struct {
	Cluster   string // name
	Namespace string
	Queue     string
	Owner     string
	// Priority is the name of the priority class.
	Priority string
	GPUs     int
}

// forecastOf forecasts the line and the start of a job if it were submitted now.
func (p *parts) forecastOf(ctx context.Context, job *Planned, v *Viewer, s *words.Speaker) (*api.Forecast, error) {
	f := &api.Forecast{}
	k, err := p.kueue.world(ctx, job.Cluster)
	if err != nil {
		return nil, err
	}
	if q := k.clusterQueueOf(job.Namespace, job.Queue); q != nil && job.GPUs > 0 {
		if err := p.forecastLine(k, q, job, v, s, f); err != nil {
			return nil, err
		}
	}
	before, err := p.past(poolOf(k, job.Cluster, job.Namespace, job.Queue), job.Queue, job.GPUs, 0, true, s)
	if err != nil {
		return nil, err
	}
	f.Like, f.Likely = before.like, before.start
	if q := f.Quota; q != nil && q.Needed > q.Total {
		f.Likely = nil // it may never start, and past jobs do not show this
	}
	f.Ran, f.RanJobs = before.ran.Seconds(), before.ranJobs
	return f, nil
}

// forecastLine forecasts the quota and the place in line. The place needs the priority.
func (p *parts) forecastLine(k *kueueWorld, q *clusterQueue, job *Planned, v *Viewer, s *words.Speaker, f *api.Forecast) error {
	self := &workload{queue: job.Queue, namespace: job.Namespace, class: job.Priority, order: p.now(), needs: amounts{}}
	resource := ""
	for name := range q.quota {
		if isGPU(name) {
			if resource != "" {
				return nil // the resource that the job would request is unknown
			}
			resource = name
		}
	}
	if resource == "" {
		return nil
	}
	self.needs[resource] = int64(job.GPUs)
	holders, err := holdersOf(p.index, job.Cluster, job.Cluster, k.holders(q), v)
	if err != nil {
		return err
	}
	f.Quota = quotaOf(q, self.needs, holders, s)
	priority, known := k.priorityOf(job.Priority)
	if k.tooMany || !known {
		return nil
	}
	self.priority = priority
	line, err := holdersOf(p.index, job.Cluster, job.Cluster, k.line(q), v)
	if err != nil {
		return err
	}
	f.Line = lineOf(insert(line, self), self, q.name, resource, p.now())
	f.Line.Jobs = f.Line.Jobs[:0] // the job itself has no row yet, and a forecast does not need the others
	return nil
}

// insert adds a workload to a line, in the order of Kueue.
func insert(line []holder, self *workload) []holder {
	for i, h := range line {
		if self.compare(h.workload) < 0 {
			return append(line[:i:i], append([]holder{{workload: self, seen: true}}, line[i:]...)...)
		}
	}
	return append(line, holder{workload: self, seen: true})
}

// priorityOf returns the priority of a class, from workloads that have it. Without open
// workloads and without a class it is Kueue's default.
func (k *kueueWorld) priorityOf(class string) (priority int64, known bool) {
	for _, w := range k.workloads {
		if w.class != class {
			continue
		}
		if known && w.priority != priority {
			return 0, false
		}
		priority, known = w.priority, true
	}
	return priority, known || class == "" && len(k.workloads) == 0
}
