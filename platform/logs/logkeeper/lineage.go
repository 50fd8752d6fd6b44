package logkeeper

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Bounds of a lineage.
const (
	maxDepth     = 6
	maxLineages  = 20_000
	maxAsks      = 8 // concurrent requests
	deniedFor    = 5 * time.Minute
	askTimeout   = 10 * time.Second
	firstAskWait = time.Second
	lastAskWait  = time.Minute
)

// lineage finds the owners of owners. It reads the metadata of each owner once. Any
// goroutine may use it.
type lineage struct {
	get   func(ctx context.Context, namespace string, o owner) (metav1.Object, error)
	start func(func(context.Context)) // runs a function on a goroutine of the keeper
	// denied and failed report missing rights, and a server that does not answer.
	denied, failed *faultlog.Reporter
	slots          chan struct{}
	types          unserved

	mu    sync.Mutex
	known map[place]*parent
}

// place is where an owner is looked for: an owner in another namespace is none.
type place struct{ namespace, uid string }

// parent has the facts about the controller of an object.
type parent struct {
	done  chan struct{} // closed when the fields below are known
	later []func()      // called then
	of    owner         // zero if there is no controller
	until time.Time     // time of the next request; zero for never
}

func newLineage(get func(ctx context.Context, namespace string, o owner) (metav1.Object, error), start func(func(context.Context)), denied, failed *faultlog.Reporter) *lineage {
	return &lineage{get: get, start: start, denied: denied, failed: failed, slots: make(chan struct{}, maxAsks), known: map[place]*parent{}}
}

// metadataOf returns a function that reads the metadata of an owner.
func metadataOf(c *kube.Cluster) func(ctx context.Context, namespace string, o owner) (metav1.Object, error) {
	return func(ctx context.Context, namespace string, o owner) (metav1.Object, error) {
		client, err := kube.For[metav1.PartialObjectMetadata](c, kube.ClientConfig{Resource: o.resource()})
		if err != nil {
			return nil, err
		}
		obj, err := client.Get(ctx, wire.Key{Namespace: namespace, Name: o.name})
		if err != nil {
			return nil, err
		}
		return obj, nil
	}
}

// climbs reports whether an object of this type may belong to a job. Controllers of
// services own no pods of jobs, and are numerous.
func climbs(o owner) bool {
	return o.uid != "" && o.resource() != "" && o.group() != "apps" && o.kind != "Node"
}

// above returns the known owners of a pod, nearest first. If others are unknown, it
// requests them, calls later, which may be nil, when they are known, and returns whole =
// false.
func (l *lineage) above(namespace string, nearest owner, later func()) (all []owner, whole bool) {
	for o := nearest; ; {
		all = append(all, o)
		if len(all) >= maxDepth || !climbs(o) {
			return all, true
		}
		p := l.parentOf(namespace, o)
		if !l.asked(p, later) {
			return all, false
		}
		// A CronJob or a schedule submits jobs, but is not a job.
		if p.of.uid == "" || p.of.kind == "CronJob" {
			return all, true
		}
		o = p.of
	}
}

// asked reports whether the answer has arrived. If not, later is called when it has.
func (l *lineage) asked(p *parent, later func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-p.done:
		return true
	default:
	}
	if later != nil {
		p.later = append(p.later, later)
	}
	return false
}

// wait returns the owners of a pod. It waits for the server until ctx ends, and then
// returns the known owners.
func (l *lineage) wait(ctx context.Context, namespace string, nearest owner) []owner {
	for {
		all, whole := l.above(namespace, nearest, nil)
		if whole {
			return all
		}
		select {
		case <-l.parentOf(namespace, all[len(all)-1]).done:
		case <-ctx.Done():
			return all
		}
	}
}

// parentOf returns the facts about the controller of an object. It reads them from the
// server if they are missing or too old.
func (l *lineage) parentOf(namespace string, o owner) *parent {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := place{namespace, o.uid}
	p := l.known[at]
	if p != nil && (p.until.IsZero() || time.Now().Before(p.until)) {
		return p
	}
	for other, old := range l.known { // an arbitrary one: it can be read again
		if len(l.known) < maxLineages {
			break
		}
		select {
		case <-old.done:
			delete(l.known, other)
		default:
		}
	}
	p = &parent{done: make(chan struct{})}
	l.known[at] = p
	l.start(func(ctx context.Context) { l.ask(ctx, namespace, o, p) })
	return p
}

// ask reads the controller of an object, and retries until it succeeds.
func (l *lineage) ask(ctx context.Context, namespace string, o owner, p *parent) {
	for wait := firstAskWait; ; wait = min(2*wait, lastAskWait) {
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if until, ask := l.types.ask(o.resource(), time.Now()); !ask {
			<-l.slots
			l.answer(o, p, nil, until)
			return
		}
		bounded, cancel := context.WithTimeout(ctx, askTimeout)
		obj, err := l.get(bounded, namespace, o)
		cancel()
		<-l.slots
		if ctx.Err() != nil {
			return
		}
		denied, now := apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err), time.Now()
		switch {
		case errors.As(err, new(*kube.UnknownResourceError)):
			l.types.note(o.resource(), false, now)
			l.answer(o, p, nil, now.Add(unservedFor))
			return
		case err == nil || apierrors.IsNotFound(err):
			l.types.note(o.resource(), true, now)
			l.answer(o, p, obj, time.Time{})
			l.failed.See(faultlog.State{})
			return
		case denied:
			l.types.note(o.resource(), true, now)
			l.answer(o, p, nil, now.Add(deniedFor))
			l.denied.See(faultlog.State{Kind: "denied", Err: err, Remedy: "grant get on the types that own jobs"})
			return
		}
		l.failed.See(faultlog.State{Err: err, Remedy: kube.Remedy(err)})
		if pause.For(ctx, wait) != nil {
			return
		}
	}
}

// answer stores an answer: obj is nil if the server did not return the object. until is the
// time of the next request, zero for never.
func (l *lineage) answer(o owner, p *parent, obj metav1.Object, until time.Time) {
	l.mu.Lock()
	if obj != nil && string(obj.GetUID()) == o.uid { // ignore a namesake
		p.of, _ = controller(obj)
	}
	p.until = until
	later := p.later
	p.later = nil
	close(p.done)
	l.mu.Unlock()
	for _, f := range later {
		f()
	}
}
