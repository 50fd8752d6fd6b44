package logkeeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// followers follow the logs of containers while they run. Any goroutine may use it.
type followers struct {
	fetches *fetches

	mu       sync.Mutex
	followed map[runID]*follower
}

// follower follows the log of one run of a container.
type follower struct {
	*following
	parent *followers
	task   task

	mu sync.Mutex
	// end is the task for the end of the run, if the pod was deleted before its log was
	// read.
	end *task
	why failure
}

func newFollowers(f *fetches) *followers {
	return &followers{fetches: f, followed: map[runID]*follower{}}
}

var errTooMany = errors.New("the limit of followed containers is reached; other containers are read when they end")

// follow starts to follow a run of a container, unless it is already followed.
func (f *followers) follow(pod *corev1.Pod, r run, seen time.Time) {
	t := newTask(pod, r.unended(), false, seen)
	cfg := f.fetches.cfg
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followed[t.id()] != nil {
		return
	}
	if len(f.followed) >= cfg.Tails {
		f.fetches.faults.room.See(faultlog.State{Err: errTooMany, Attrs: []any{"limit", cfg.Tails}})
		f.fetches.count.change(func(s *Stats) { s.Untailed++ })
		return
	}
	one := &follower{following: newFollowing(f.fetches.fetcher, t.pod, t.id(), cfg.TailEvery), parent: f, task: t}
	one.store, one.alive = one.put, one.runs
	f.followed[t.id()] = one
	f.fetches.start(one.follow)
}

// podGone handles the deletion of a pod.
func (f *followers) podGone(uid string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, one := range f.followed {
		if id.pod == uid {
			one.podGone()
		}
	}
}

// take accepts a task whose log was not read before its pod was deleted. It returns false
// if the run is not followed.
func (f *followers) take(t task, why failure) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.followed[t.id()]
	if one == nil {
		return false
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.end, one.why = &t, why
	return true
}

// count returns the number of followed runs.
func (f *followers) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.followed)
}

// follow follows the run until it ends.
func (o *follower) follow(ctx context.Context) {
	clean := o.run(ctx)
	o.parent.mu.Lock()
	delete(o.parent.followed, o.id)
	full := len(o.parent.followed) >= o.parent.fetches.cfg.Tails-1
	o.parent.mu.Unlock()
	if !full {
		o.parent.fetches.faults.room.See(faultlog.State{})
	}
	o.mu.Lock()
	end, why := o.end, o.why
	o.mu.Unlock()
	if end == nil || ctx.Err() != nil {
		return
	}
	if !clean {
		o.parent.fetches.lose(ctx, *end, why)
		return
	}
	// The log was followed to its end, although the pod was deleted before it could be
	// fetched.
	log, err := o.parent.fetches.describe(ctx, end)
	shelf := o.parent.fetches.shelf
	if err != nil || shelf.reserve(ctx, perLog) != nil {
		o.parent.fetches.count.lose(why.loss)
		return
	}
	log.Complete = true
	shelf.put(&parcel{log: log, seen: end.seen}, perLog)
}

// put puts lines on the shelf if there is room now.
func (o *follower) put(ctx context.Context, lines []joblog.Line, dropped int) bool {
	f := o.parent.fetches
	reserved := size(lines) + perLog
	if _, ok := f.shelf.tryReserve(reserved); !ok {
		return false
	}
	log, err := f.describe(ctx, &o.task)
	if err != nil {
		f.shelf.release(reserved)
		return false
	}
	if dropped > 0 {
		log.Lost = fmt.Sprintf("%d lines came while the database did not take logs", dropped)
	}
	f.shelf.put(&parcel{log: log, lines: lines}, reserved)
	return true
}

// runs reports whether the run has not ended, as far as is known.
func (o *follower) runs() bool {
	pod, there := o.parent.fetches.lookup(o.task.pod, o.task.uid)
	if !there {
		return false
	}
	_, ended, found := find(pod, o.task.run.container, o.task.run.restart, o.task.run.id)
	return found && !ended
}
