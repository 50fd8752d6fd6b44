package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Effect says what a write left behind.
type Effect uint8

const (
	// Stored: who has seen the write shows the object at Version or later, or
	// shows that it is gone.
	Stored Effect = iota
	// Removed: who has seen the write no longer shows an object with this UID. The
	// version of a deletion is not told by servers, so Version is zero.
	Removed
)

// Written is one write that a server has taken.
type Written struct {
	Cluster  *Cluster
	Resource Resource
	Key      wire.Key
	UID      string
	Version  wire.Version
	Effect   Effect
}

// observers is what a context knows of who wants to hear of writes.
type observers struct {
	wrote func(Written)
	outer *observers
}

type observersKey struct{}

// WithWrites returns a context that reports every write that is made with it,
// by any client of any cluster, to wrote: so that whoever hands out the context,
// as a controller does, can wait until its own copy shows what was written. The
// function is called on the goroutine that writes, after the server's answer and
// before the client's method returns. If ctx reports already, that goes on.
//
// Not reported are dry runs; writes whose answer was lost, which may have
// happened; a deletion of a collection that failed half-way; and what is done
// with Cluster.Do. A wrote that is nil changes nothing.
func WithWrites(ctx context.Context, wrote func(Written)) context.Context {
	if wrote == nil {
		return ctx
	}
	outer, _ := ctx.Value(observersKey{}).(*observers)
	return context.WithValue(ctx, observersKey{}, &observers{wrote, outer})
}

// report tells the observers of a context, the innermost first.
func (e *endpoint) report(ctx context.Context, w Written) {
	if e.cfg.Writes == DryRun {
		return
	}
	w.Cluster = e.cluster
	o, _ := ctx.Value(observersKey{}).(*observers)
	for ; o != nil; o = o.outer {
		o.wrote(w)
	}
}

// reportObject reports an object that a server has answered a write with.
func (e *endpoint) reportObject(ctx context.Context, r Resource, meta metav1.Object) {
	w := Written{
		Resource: r, UID: string(meta.GetUID()),
		Key: wire.Key{Namespace: meta.GetNamespace(), Name: meta.GetName()},
	}
	if isGone(meta) {
		w.Effect = Removed
	} else if v, err := wire.ParseVersion(meta.GetResourceVersion()); err == nil {
		w.Version = v
	}
	e.report(ctx, w)
}

// isGone reports whether the answer to a write shows an object for the last time: it
// was to be deleted, and nothing keeps it any more.
func isGone(meta metav1.Object) bool {
	grace := meta.GetDeletionGracePeriodSeconds()
	return meta.GetDeletionTimestamp() != nil && len(meta.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}
