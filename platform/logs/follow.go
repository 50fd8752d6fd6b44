package logs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// grace is how long containers may continue to write after the end of their job.
const grace = 10 * time.Second

// news is a change of a pod.
type news struct {
	pod  *podState
	gone bool
}

// finished reports that a log was followed to its end.
type finished struct {
	key runKey
	err error
}

// follower follows the logs of a job's pods. It belongs to the goroutine of the caller; the
// goroutines that it starts send to its channels.
type follower struct {
	*reader
	window  *window
	lines   chan []Line
	ended   chan finished
	news    chan news
	nudge   chan struct{} // with a buffer of one
	active  map[runKey]*live
	waiting []*live // for a free stream
	work    sync.WaitGroup
	cancel  context.CancelCauseFunc
}

// follow continues after present, until the job has ended and everything was read.
//
// Errors: as present.
func (r *reader) follow(ctx context.Context) error {
	allowed, why, err := r.o.Cluster.Allowed(ctx, "watch", pods, r.o.Job.Namespace, "")
	if err == nil && !allowed {
		refusal := apierrors.NewForbidden(schema.GroupResource{Resource: pods.Name}, "", errors.New(why))
		return submit.Denied(ctx, r.o.Cluster, refusal, submit.Right{Verb: "watch", Resource: pods, Namespace: r.o.Job.Namespace, Also: []string{"get", "list"}})
	}
	f := &follower{
		reader: r, window: newWindow(), lines: make(chan []Line), ended: make(chan finished),
		news: make(chan news), nudge: make(chan struct{}, 1), active: map[runKey]*live{},
	}
	if err := f.run(ctx); err != nil {
		return err
	}
	return f.last(ctx)
}

// run follows until the job has ended and no log is followed, and joins all goroutines.
func (f *follower) run(ctx context.Context) error {
	run, cancel := context.WithCancelCause(ctx)
	f.cancel = cancel
	defer cancel(nil)
	over := make(chan struct{})
	f.work.Go(func() {
		if err := awaitEnd(run, f.o.Cluster, f.o.Job, f.nudge); err == nil {
			close(over)
		}
	})
	if err := f.watch(run); err != nil {
		return err
	}
	f.startAll(run)
	err := f.loop(run, over)
	cancel(errEnough)
	f.drain()
	return err
}

// drain waits for the goroutines, and takes their remaining lines.
func (f *follower) drain() {
	joined := make(chan struct{})
	go func() {
		f.work.Wait()
		close(joined)
	}()
	for {
		select {
		case more := <-f.lines:
			f.window.add(more, time.Now())
		case <-f.ended:
		case <-f.news:
		case <-joined:
			return
		}
	}
}

// watch starts the informer on pods.
func (f *follower) watch(ctx context.Context) error {
	config := informer.Config{LabelSelector: f.selector, Logger: slog.New(slog.DiscardHandler)}
	if f.o.Job.Namespace != "" {
		config.Namespaces = []string{f.o.Job.Namespace}
	}
	inf, err := informer.Project(f.o.Cluster, config, podStateOf)
	if err != nil {
		return err
	}
	f.work.Go(func() {
		if err := inf.Run(ctx); err != nil && ctx.Err() == nil {
			f.cancel(err)
		}
	})
	known := slices.Clone(f.plan.live)
	f.work.Go(func() { f.tellNews(ctx, inf, known) })
	return nil
}

// tellNews sends every change of the job's pods. Known pods that no longer exist count as
// deleted.
func (f *follower) tellNews(ctx context.Context, inf *informer.Informer[podState], known []*podState) {
	select {
	case <-inf.Synced():
	case <-ctx.Done():
		return
	}
	now := inf.Snapshot()
	for _, p := range known {
		there, ok, err := now.Get(wire.Key{Namespace: f.o.Job.Namespace, Name: p.Name})
		if err == nil && (!ok || there.UID != p.UID) && !f.send(ctx, news{pod: p, gone: true}) {
			return
		}
	}
	// This goroutine needs its own finder.
	finder := newFinder(f.o.Cluster, f.o.Job)
	for event := range inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		pod, err := event.Object()
		if err != nil {
			continue // the final survey reads the pod again
		}
		mine, err := finder.owns(ctx, pod)
		for err != nil && pause.For(ctx, askSoon) == nil {
			mine, err = finder.owns(ctx, pod)
		}
		if mine && !f.send(ctx, news{pod: pod, gone: event.Kind() == store.Deleted}) {
			return
		}
	}
}

func (f *follower) send(ctx context.Context, n news) bool {
	select {
	case f.news <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

// startAll follows the logs whose runs were not over when they were read.
func (f *follower) startAll(ctx context.Context) {
	for _, r := range f.plan.runs {
		if l := f.lives[r.key()]; l != nil && !r.over {
			f.start(ctx, l)
		}
	}
}

// start follows a log, immediately or when a stream is free.
func (f *follower) start(ctx context.Context, l *live) {
	if len(f.active) >= f.o.Streams {
		f.waiting = append(f.waiting, l)
		return
	}
	key := l.run.key()
	f.active[key] = l
	f.work.Go(func() {
		out := &batch{out: f.lines}
		err := errors.Join(l.follow(ctx, out), out.flush(ctx))
		select {
		case f.ended <- finished{key, err}:
		case <-ctx.Done():
		}
	})
}

// loop processes events until the job has ended and no log is followed, or the time is
// over.
func (f *follower) loop(ctx context.Context, over <-chan struct{}) error {
	tick := time.NewTimer(0)
	defer tick.Stop()
	var deadline <-chan time.Time
	for told := 0; ; {
		if deadline != nil && len(f.active) == 0 && len(f.waiting) == 0 {
			return nil
		}
		if n := len(f.waiting); n > 0 && told == 0 {
			told = n
			note := fmt.Sprintf("%s logs wait: %d are followed at once, the others follow as these end", thousands(n), f.o.Streams)
			f.window.add([]Line{{Note: note}}, time.Now())
		}
		if at, ok := f.window.due(); ok {
			tick.Reset(time.Until(at))
		}
		select {
		case more := <-f.lines:
			f.window.add(more, time.Now())
		case done := <-f.ended:
			if err := f.done(ctx, done); err != nil {
				return err
			}
		case n := <-f.news:
			f.hear(ctx, n)
		case <-tick.C:
		case <-over:
			over = nil
			deadline = time.After(grace)
		case <-deadline:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !f.window.release(time.Now(), false, f.yield) {
			return errEnough
		}
	}
}

// done gives the stream of an ended log to the next log.
func (f *follower) done(ctx context.Context, done finished) error {
	if done.err != nil {
		return done.err
	}
	delete(f.active, done.key)
	f.window.forget(done.key)
	f.poke()
	if len(f.waiting) > 0 {
		next := f.waiting[0]
		f.waiting = f.waiting[1:]
		f.start(ctx, next)
	}
	return nil
}

// poke triggers a check of the job soon.
func (f *follower) poke() {
	select {
	case f.nudge <- struct{}{}:
	default:
	}
}

// hear processes a change of a pod: it notifies the logs that are being read, and starts
// new ones.
func (f *follower) hear(ctx context.Context, n news) {
	f.poke()
	f.plan.note(n.pod, n.gone)
	for key, l := range f.lives {
		if key.podUID != n.pod.UID {
			continue
		}
		now := statusOf(n.pod, l.run)
		if n.gone {
			now = status{over: true, gone: true}
		}
		l.change(now)
	}
	if n.gone {
		return
	}
	f.plan.arrange()
	for _, r := range f.plan.runs {
		if r.kept == nil && r.podUID == n.pod.UID && f.lives[r.key()] == nil {
			l := newLive(f.o, r)
			f.lives[r.key()] = l
			f.start(ctx, l)
		}
	}
	if notes := f.plan.notes(f.said, true); len(notes) > 0 {
		f.window.add(notes, time.Now())
	}
}

// last reads the remaining lines after the end of the job: the lines that streams had no
// time for, and the runs that no event reported.
func (f *follower) last(ctx context.Context) error {
	if !f.window.release(time.Now(), true, f.yield) {
		return errEnough
	}
	f.o.Follow = false
	if err := f.survey(ctx); err != nil {
		return err
	}
	f.plan.runs = slices.DeleteFunc(f.plan.runs, func(r *run) bool {
		l := f.lives[r.key()]
		switch {
		case l == nil, f.active[r.key()] != nil, slices.Contains(f.waiting, l):
			return false
		}
		return r.kept == nil || !l.lost // lines that the node no longer has may be kept
	})
	if err := f.present(ctx); err != nil {
		return err
	}
	for _, r := range f.plan.runs {
		if r.kept == nil && !r.over && !f.yield(r.note(time.Time{}, fmt.Sprintf("container %s of pod %s still runs after the end of the job; its log is no longer followed", r.container, r.pod))) {
			return errEnough
		}
	}
	return nil
}
