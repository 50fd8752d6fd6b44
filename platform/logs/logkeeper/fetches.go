package logkeeper

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/wire"
)

// fetches fetches logs and puts them on the shelf. Any goroutine may use it.
type fetches struct {
	cfg     *Config
	fetcher *fetcher
	shelf   *shelf
	lineage *lineage
	faults  *faults
	count   *counters
	start   func(func(context.Context)) // runs a function on a goroutine of the keeper
	// lookup returns the current state of a pod.
	lookup func(key wire.Key, uid string) (*corev1.Pod, bool)
	// lost processes a task that ended without a log.
	lost func(ctx context.Context, t task, why failure)
	// identity returns the UID of the cluster.
	identity func(ctx context.Context) (string, error)

	mu     sync.Mutex
	queue  *queue[task]
	wake   chan struct{} // has a token if the queue has changed
	missed bool          // a task found no room in the queue
	others time.Time     // when a log of another recorder was last found
}

// stalledPerActive is the maximum number of fetches without an answer per active fetch.
const stalledPerActive = 4

func (c *Config) limits() limits {
	return limits{waiting: c.Waiting, active: c.Fetches, stalled: stalledPerActive * c.Fetches, node: c.PerNode}
}

// sharedFor is the time for which a recorder delays its fetches after it has found a log
// of another recorder.
const sharedFor = 10 * time.Minute

// add adds a task for the log of a run. It returns false if there is no room.
func (f *fetches) add(t task, u urgency) bool {
	defer f.changed()
	f.mu.Lock()
	defer f.mu.Unlock()
	due := time.Time{}
	if u == fresh && t.ended && time.Since(f.others) < sharedFor {
		t.unsure, due = true, time.Now().Add(t.deferral(f.cfg.Name))
	}
	added := f.queue.add(t.id(), t.node, u, t, due)
	f.missed = f.missed || !added
	return added
}

func (f *fetches) changed() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// unread is a task that ended without a log.
type unread struct {
	task
	failure failure
}

// state returns the numbers of fetches that wait, receive an answer, and wait for an
// answer.
func (f *fetches) state() (waiting, active, stalled int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.waiting[fresh] + f.queue.waiting[old], f.queue.active, f.queue.stalled
}

// podGone ends the waiting tasks of a pod that was deleted.
func (f *fetches) podGone(uid string) (ended []unread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.queue.podGone(uid) {
		ended = append(ended, unread{j.task, j.last})
	}
	return ended
}

// hasRoom reports whether old tasks may be added, and resets missed.
func (f *fetches) hasRoom() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.waiting[old] < f.cfg.Waiting/4 && f.queue.waiting[fresh] < f.cfg.Waiting/2
}

// takeMissed reports whether a task found no room since the last call.
func (f *fetches) takeMissed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	missed := f.missed
	f.missed = false
	return missed
}

// dispatch starts the fetches that the queue allows, until ctx ends.
func (f *fetches) dispatch(ctx context.Context) {
	for {
		// An answer without room would block its node.
		if f.shelf.reserve(ctx, f.fetcher.memory()) != nil {
			return
		}
		f.shelf.release(f.fetcher.memory())
		f.mu.Lock()
		j, wake := f.queue.next(time.Now())
		f.mu.Unlock()
		if j != nil {
			f.start(func(ctx context.Context) { f.run(ctx, j) })
			continue
		}
		var timer <-chan time.Time
		if !wake.IsZero() {
			timer = time.After(time.Until(wake))
		}
		select {
		case <-timer:
		case <-f.wake:
		case <-ctx.Done():
			return
		}
	}
}

// run runs a job of the queue.
func (f *fetches) run(ctx context.Context, j *item[task]) {
	f.mu.Lock()
	t := j.task
	f.mu.Unlock()
	stall := time.AfterFunc(stallAfter, func() {
		f.mu.Lock()
		f.queue.stall(j)
		f.mu.Unlock()
		f.changed()
	})
	failed := f.fetch(ctx, &t, func() { stall.Stop() })
	stall.Stop()
	if ctx.Err() != nil {
		return
	}
	retry := f.next(j, failed)
	f.mu.Lock()
	last, again := j.task, j.again
	ended := f.queue.done(j, retry)
	f.mu.Unlock()
	f.changed()
	read := failed.err == nil && failed.loss == ""
	switch {
	case !ended && !read:
		f.count.change(func(s *Stats) { s.Retries++ })
	case !ended || read && t.ended:
	case again: // the run ended during this fetch, and its pod was deleted before the next one
		f.lost(ctx, last, failed)
	case t.ended: // otherwise the end of the run follows, or the deletion of its pod
		f.lost(ctx, t, failed)
	}
}

// The time between two attempts doubles from firstRetry to lastRetry. lastUnknown is the
// number of times that a node may report a missing log.
const (
	firstRetry  = 250 * time.Millisecond
	lastRetry   = 30 * time.Second
	lastUnknown = 3
)

// next reports the outcome of a fetch to the queue, and returns the time of the retry;
// zero for never.
func (f *fetches) next(j *item[task], failed failure) (retry time.Time) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	j.last = failed
	switch {
	case failed.node:
		f.queue.nodeFailed(j.node, now.Add(max(failed.after, backoff(f.queue.nodeFailures(j.node)))))
		f.faults.nodes.See(faultlog.State{Kind: "node", Err: failed.err, Remedy: "check the node and its kubelet", Attrs: []any{"node", j.node}})
	case failed.err == nil || failed.loss == Absent || failed.final:
		f.queue.nodeAnswered(j.node)
		if failed.err == nil && !f.queue.anyNodeFailed() {
			f.faults.nodes.See(faultlog.State{})
			f.faults.rights.See(faultlog.State{})
		}
	}
	if failed.loss == Denied {
		f.faults.rights.See(faultlog.State{Kind: "denied", Err: failed.err, Remedy: "grant get on pods/log"})
	}
	if failed.err == nil || failed.final || failed.loss == Absent && j.failures+1 >= lastUnknown {
		return time.Time{}
	}
	return now.Add(max(failed.after, backoff(j.failures)))
}

func backoff(failures int) time.Duration {
	return min(firstRetry<<min(failures, 10), lastRetry)
}

// fetch fetches one log and puts it on the shelf. It calls answered when the node begins
// to answer. failed is zero if the log is on the shelf, or if there is no log to store.
func (f *fetches) fetch(ctx context.Context, t *task, answered func()) (failed failure) {
	if t.unsure && f.isKept(ctx, t) {
		return failed
	}
	pod, there := f.lookup(t.pod, t.uid)
	if !there {
		return failure{loss: PodGone, final: true}
	}
	previous, failed := t.refresh(pod)
	if failed.final {
		return failed
	}
	bounded, cancel := context.WithTimeoutCause(ctx, f.cfg.Timeout, errSilent)
	defer cancel()
	reserved := int64(0)
	defer func() { f.shelf.release(reserved) }()
	a, err := f.fetcher.fetch(bounded, t.pod, t.run.container, previous, func() error {
		answered()
		if reserved > 0 {
			return nil
		}
		if err := f.shelf.reserve(bounded, f.fetcher.memory()); err != nil {
			return errNoRoom
		}
		reserved = f.fetcher.memory()
		return nil
	})
	if err != nil {
		return failureOf(err)
	}
	if said := a.message(); said != "" {
		return failure{err: errors.New(said), loss: Absent}
	}
	if !previous && f.ranAgain(t) {
		return failure{err: errRanAgain, loss: Restarted}
	}
	lines := a.take()
	if t.ended && t.restartable {
		lines, _ = within(lines, t.run.started, t.run.ended)
	}
	if t.ended && f.isShared(ctx, t) {
		return failed
	}
	log, err := f.describe(ctx, t)
	if err != nil {
		return failure{err: err, loss: NodeUnreachable}
	}
	log.Complete = t.ended
	f.shelf.put(&parcel{log: log, lines: lines, seen: t.seen}, reserved)
	reserved = 0
	return failed
}

// refresh updates a task with the current status of the run. previous is set if the
// container was restarted. failed is set if the log cannot be read.
func (t *task) refresh(pod *corev1.Pod) (previous bool, failed failure) {
	e, ended, found := find(pod, t.run.container, t.run.restart, t.run.id)
	switch {
	case !found:
		return false, failure{loss: Restarted, final: true}
	case e.unstarted:
		return false, failure{loss: NeverStarted, final: true}
	}
	e.restart = t.run.restart
	t.run, t.ended, t.restartable = e, ended, restarts(pod, e)
	return e.previous, failed
}

var (
	errRanAgain = errors.New("the container ran again while its log was read")
	errNoRoom   = errors.New("the database does not take logs fast enough")
)

// ranAgain reports whether the container was restarted in the meantime, so that the log
// may belong to the next run.
func (f *fetches) ranAgain(t *task) bool {
	pod, there := f.lookup(t.pod, t.uid)
	if !there {
		return false
	}
	e, ended, found := find(pod, t.run.container, t.run.restart, t.run.id)
	return !found || ended && e.previous
}

// askStore is the timeout of a query of the store before a fetch.
const askStore = 2 * time.Second

// isKept reports whether the store already has the log. An error means no, because a
// useless fetch is better than a lost log.
func (f *fetches) isKept(ctx context.Context, t *task) bool {
	ctx, cancel := context.WithTimeout(ctx, askStore)
	defer cancel()
	logs, err := f.cfg.Store.Of(ctx, joblog.Selection{UIDs: []string{t.uid}})
	if err != nil {
		return false
	}
	for i := range logs {
		if l := &logs[i]; l.PodUID == t.uid && l.Container == t.run.container && l.Restart == t.run.restart && l.Complete {
			f.count.change(func(s *Stats) { s.Duplicates++ })
			return true
		}
	}
	return false
}

// isShared reports whether another recorder has stored the log in the meantime, and
// remembers that another recorder exists.
func (f *fetches) isShared(ctx context.Context, t *task) bool {
	if t.seen.IsZero() || !f.isKept(ctx, t) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.others = time.Now()
	return true
}

// lineageWait is the maximum time that a log waits for the name of its job.
const lineageWait = 500 * time.Millisecond

// describe returns the description of a log, with its job.
func (f *fetches) describe(ctx context.Context, t *task) (joblog.Log, error) {
	cluster, err := f.identity(ctx)
	if err != nil {
		return joblog.Log{}, err
	}
	var owners []owner
	if t.owner.uid != "" {
		ctx, cancel := context.WithTimeout(ctx, lineageWait)
		defer cancel()
		owners = f.lineage.wait(ctx, t.pod.Namespace, t.owner)
	}
	return t.log(cluster, owners), nil
}

// lose stores the fact that the end of a log is lost.
func (f *fetches) lose(ctx context.Context, t task, why failure) {
	log, err := f.describe(ctx, &t)
	if err == nil {
		if _, ok := f.shelf.tryReserve(perLog); !ok {
			err = errNoRoom
		}
	}
	if err != nil {
		f.cfg.log().Error("a log is lost, and this could not be stored", "pod", t.pod.String(), "container", t.run.container, "loss", string(why.loss), "err", err)
		f.count.lose(why.loss)
		return
	}
	text := why.err
	if t.run.unstarted && t.run.reason != "" {
		text = errors.New(t.run.reason)
	}
	log.Lost = why.loss.why(text)
	f.shelf.put(&parcel{log: log, loss: why.loss}, perLog)
}
