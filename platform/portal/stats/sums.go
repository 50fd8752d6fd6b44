package stats

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// indirect reports whether other objects control the pods of the jobs of a type.
func indirect(name string) bool {
	k := job.KindOfType(name)
	return k != nil && k.Indirect
}

// maxIndirect is the maximum number of such jobs whose pods a request finds. The pods of further
// jobs are not counted, and failed jobs have their own reason as cause.
const maxIndirect = 1000

// sums sums up the jobs of some windows.
type sums struct {
	windows []Window
	pods    *podSet // nil: not recorded
	// seesPods reports whether the pods of a namespace may be counted; nil: all.
	seesPods func(cluster, namespace string) bool
	periods  []*period
	nodes    []*nodeCount
	// indirect are jobs to add when their pods are known.
	indirect []jobindex.Row
}

// begin creates the periods. until is the instant until which open spans last.
func (s *sums) begin(at time.Time) {
	for i, w := range s.windows {
		s.periods = append(s.periods, newPeriod(w, earlier(at, w.To)))
		n := newNodeCount(w)
		if s.pods != nil {
			n.since = s.pods.since[i]
		}
		s.nodes = append(s.nodes, n)
	}
}

// add adds a job, or defers it until its pods are known.
func (s *sums) add(r *jobindex.Row, at time.Time) {
	if s.seesPods != nil && !s.seesPods(r.Cluster, r.Namespace) {
		s.addJob(r, nil, at)
		return
	}
	if s.pods != nil && indirect(r.Type) && r.State.Final() && r.State != job.Deleted && len(s.indirect) < maxIndirect {
		kept := *r
		kept.Life = slices.Clone(r.Life)
		s.indirect = append(s.indirect, kept)
		return
	}
	s.addJob(r, s.pods.of(r), at)
}

// addJob adds a job with its pods in the order of their ends.
func (s *sums) addJob(r *jobindex.Row, pods []*podEnd, at time.Time) {
	if s.periods == nil {
		s.begin(at)
	}
	for i, p := range s.periods {
		p.add(r, func(r *jobindex.Row) string { return causeOfJob(r, pods) })
		s.nodes[i].add(pods)
	}
}

// answer returns the sums of each window.
func (s *sums) answer(at time.Time) (all []*api.Period) {
	if s.periods == nil {
		s.begin(at)
	}
	for i, p := range s.periods {
		a := p.answer()
		a.NodesSeen, a.Nodes = s.pods != nil, s.nodes[i].answer()
		if since := s.nodes[i].since; since.After(s.windows[i].From) {
			a.PodsFrom = since.UTC()
		}
		all = append(all, a)
	}
	return all
}
