package stats

import (
	"cmp"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

const (
	// maxNodes is the maximum number of nodes in an answer. cells is the number of intervals of
	// each node.
	maxNodes = 50
	cells    = 28
)

// causeOfJob returns the cause of a failed job by job.EndingOfJob, from its own reason and the pod
// that failed first in its last attempt. Without a cause, it is the reason of the job.
func causeOfJob(r *jobindex.Row, pods []*podEnd) string {
	own := job.EndingOfJob(r.Reason, "", nil)
	if own.EndsPods() {
		return own.Word()
	}
	last := job.LastAttempt(r.Life)
	for _, e := range pods {
		if e.failed && e.cause != "" && last.Has(e.at) {
			return e.cause
		}
	}
	if own != nil {
		return own.Word()
	}
	return r.Reason
}

// nodeCount counts pods by node.
type nodeCount struct {
	grid  grid
	since time.Time // earlier pods are not counted
	nodes map[string]*api.NodeShare
}

func newNodeCount(w Window) *nodeCount {
	return &nodeCount{grid: evenGrid(w, cells), nodes: map[string]*api.NodeShare{}}
}

// add counts the pods of a job that ended in the window on a known node.
func (n *nodeCount) add(pods []*podEnd) {
	for _, e := range pods {
		if e.node == "" || !n.grid.has(e.at) || e.at.Before(n.since) {
			continue
		}
		s := n.nodes[e.node]
		if s == nil {
			s = &api.NodeShare{Node: e.node, Cells: make([]int, cells)}
			n.nodes[e.node] = s
		}
		s.Pods++
		if e.failed {
			s.Failed++
			s.Cells[n.grid.bucket(e.at)]++
		}
	}
}

// answer returns the nodes, sorted by the share of failed pods.
func (n *nodeCount) answer() []api.NodeShare {
	all := []api.NodeShare{}
	for _, s := range n.nodes {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b api.NodeShare) int {
		return cmp.Or(cmp.Compare(b.Failed*a.Pods, a.Failed*b.Pods), cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Node, b.Node))
	})
	return all[:min(len(all), maxNodes)]
}
