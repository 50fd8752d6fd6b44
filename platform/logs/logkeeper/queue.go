package logkeeper

import (
	"container/heap"
	"time"
)

// runID identifies one run of a container.
type runID struct {
	pod       string // UID
	container string
	restart   int
}

// urgency orders fetches on one node.
type urgency uint8

const (
	fresh urgency = iota // the run ended, or its pod is being deleted
	old                  // the run ended before the keeper started
	urgencies
)

// item is a waiting or running fetch.
type item[T any] struct {
	id      runID
	node    string
	task    T
	urgency urgency
	due     time.Time
	order   int // of arrival

	running, stalled bool
	again            bool // a second task was added while it ran; task is the second one
	gone             bool // the pod was deleted: no retry
	failures         int
	last             failure // of the last attempt
	index            int     // in the heap; -1 outside
}

// limits are the limits of the queue.
type limits struct {
	waiting int // items that wait
	active  int // items that run and get an answer
	stalled int // items that run without an answer
	node    int // items that run on one node
}

// queue decides which fetch is next. It has at most one item for each run of a container.
// It is a pure machine: the caller passes the time and locks.
type queue[T any] struct {
	limits  limits
	items   map[runID]*item[T]
	pods    map[string]map[runID]*item[T]
	nodes   map[string]*node[T]
	ring    []*node[T] // nodes with items, in round-robin order
	at      int        // in ring
	waiting [urgencies]int
	active  int
	stalled int
	order   int
}

// node holds the items of one node.
type node[T any] struct {
	name    string
	ready   [urgencies]itemHeap[T]
	running int
	// failures counts consecutive failures of the node. Only one item at a time tries a
	// node that has failed, and not before until.
	failures int
	until    time.Time
}

func newQueue[T any](l limits) *queue[T] {
	return &queue[T]{limits: l, items: map[runID]*item[T]{}, pods: map[string]map[runID]*item[T]{}, nodes: map[string]*node[T]{}}
}

// add adds a task that is due at a time. If the run already has an item, the task replaces
// that of the item, or follows it if the item is running. It returns false if the queue is
// full.
func (q *queue[T]) add(id runID, nodeName string, u urgency, task T, due time.Time) bool {
	if j := q.items[id]; j != nil {
		j.task = task
		if j.running {
			j.again = true
			return true
		}
		q.remove(j)
		j.due, j.urgency, j.failures = due, min(u, j.urgency), 0
		q.insert(j)
		return true
	}
	if q.waiting[fresh]+q.waiting[old] >= q.limits.waiting {
		return false
	}
	q.order++
	j := &item[T]{id: id, node: nodeName, task: task, urgency: u, due: due, order: q.order, index: -1}
	q.items[id] = j
	if q.pods[id.pod] == nil {
		q.pods[id.pod] = map[runID]*item[T]{}
	}
	q.pods[id.pod][id] = j
	q.insert(j)
	return true
}

func (q *queue[T]) insert(j *item[T]) {
	n := q.nodes[j.node]
	if n == nil {
		n = &node[T]{name: j.node}
		q.nodes[j.node] = n
		q.ring = append(q.ring, n)
	}
	heap.Push(&n.ready[j.urgency], j)
	q.waiting[j.urgency]++
}

// remove removes a waiting item from the heap of its node.
func (q *queue[T]) remove(j *item[T]) {
	heap.Remove(&q.nodes[j.node].ready[j.urgency], j.index)
	q.waiting[j.urgency]--
}

// next returns the next item to run, and marks it as running. Without such an item, wake is
// the time when an item becomes due. It is zero if that depends on a running item or on add.
func (q *queue[T]) next(now time.Time) (j *item[T], wake time.Time) {
	if q.active >= q.limits.active {
		return nil, wake
	}
	for range q.ring {
		if q.at >= len(q.ring) {
			q.at = 0
		}
		n := q.ring[q.at]
		q.at++
		j, at := n.next(now, q.limits.node)
		if j == nil {
			if !at.IsZero() && (wake.IsZero() || at.Before(wake)) {
				wake = at
			}
			continue
		}
		q.waiting[j.urgency]--
		q.active++
		n.running++
		j.running = true
		return j, time.Time{}
	}
	return nil, wake
}

// next returns the first item that is due. Otherwise it returns the time when one becomes
// due; zero if that depends on a running item.
func (n *node[T]) next(now time.Time, limit int) (j *item[T], at time.Time) {
	if n.failures > 0 {
		limit = 1
	}
	if n.running >= limit {
		return nil, at
	}
	for u := range n.ready {
		h := &n.ready[u]
		if h.Len() == 0 {
			continue
		}
		due := (*h)[0].due
		if n.until.After(due) {
			due = n.until
		}
		if !due.After(now) {
			j, _ = heap.Pop(h).(*item[T])
			return j, time.Time{}
		}
		if at.IsZero() || due.Before(at) {
			at = due
		}
	}
	return nil, at
}

// stall marks a running item as having no answer. Others may run in its place, unless too
// many items are stalled.
func (q *queue[T]) stall(j *item[T]) {
	if j.running && !j.stalled && q.stalled < q.limits.stalled {
		j.stalled = true
		q.stalled++
		q.active--
	}
}

// done ends a running item. If retry is not zero and the pod exists, the item runs again at
// that time. ended is set if the item has ended and its result is final.
func (q *queue[T]) done(j *item[T], retry time.Time) (ended bool) {
	n := q.nodes[j.node]
	if n.running--; j.stalled {
		q.stalled--
	} else {
		q.active--
	}
	j.running, j.stalled = false, false
	switch {
	case j.again && !j.gone:
		j.again, j.failures, j.due = false, 0, time.Time{}
		q.insert(j)
	case !retry.IsZero() && !j.gone:
		j.failures++
		j.due = retry
		q.insert(j)
	default:
		ended = true
		q.forget(j)
	}
	q.tidy(n)
	return ended
}

// nodeFailed records that a node did not answer, and the end of its backoff.
func (q *queue[T]) nodeFailed(name string, until time.Time) {
	if n := q.nodes[name]; n != nil {
		n.failures++
		n.until = until
	}
}

// nodeFailures returns the number of consecutive failures of a node.
func (q *queue[T]) nodeFailures(name string) int {
	if n := q.nodes[name]; n != nil {
		return n.failures
	}
	return 0
}

// anyNodeFailed reports whether a node has failed and not answered since.
func (q *queue[T]) anyNodeFailed() bool {
	for _, n := range q.ring {
		if n.failures > 0 {
			return true
		}
	}
	return false
}

// nodeAnswered records that a node has answered.
func (q *queue[T]) nodeAnswered(name string) {
	if n := q.nodes[name]; n != nil {
		n.failures, n.until = 0, time.Time{}
	}
}

// podGone ends the waiting items of a pod and returns them. Running items are not retried.
func (q *queue[T]) podGone(pod string) (ended []*item[T]) {
	for _, j := range q.pods[pod] {
		j.gone = true
		if !j.running {
			n := q.nodes[j.node]
			q.remove(j)
			q.forget(j)
			q.tidy(n)
			ended = append(ended, j)
		}
	}
	return ended
}

func (q *queue[T]) forget(j *item[T]) {
	delete(q.items, j.id)
	if delete(q.pods[j.id.pod], j.id); len(q.pods[j.id.pod]) == 0 {
		delete(q.pods, j.id.pod)
	}
}

// tidy removes a node without items.
func (q *queue[T]) tidy(n *node[T]) {
	if n.running > 0 || n.ready[fresh].Len()+n.ready[old].Len() > 0 {
		return
	}
	delete(q.nodes, n.name)
	for i, other := range q.ring {
		if other == n {
			q.ring = append(q.ring[:i], q.ring[i+1:]...)
			if q.at > i {
				q.at--
			}
			return
		}
	}
}

// itemHeap orders items by the time at which they are due.
type itemHeap[T any] []*item[T]

func (h itemHeap[T]) Len() int { return len(h) }
func (h itemHeap[T]) Less(i, k int) bool {
	if !h[i].due.Equal(h[k].due) {
		return h[i].due.Before(h[k].due)
	}
	return h[i].order < h[k].order
}

func (h itemHeap[T]) Swap(i, k int) {
	h[i], h[k] = h[k], h[i]
	h[i].index, h[k].index = i, k
}

// Push implements heap.Interface.
func (h *itemHeap[T]) Push(x any) {
	if j, ok := x.(*item[T]); ok {
		j.index = len(*h)
		*h = append(*h, j)
	}
}

// Pop implements heap.Interface.
func (h *itemHeap[T]) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	j.index = -1
	return j
}
