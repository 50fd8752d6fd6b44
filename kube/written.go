package kube

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Effect is the state after a write.
type Effect uint8

const (
	// Stored means that a copy of the server's state includes the write if it shows the
	// object at Version or later, or shows that the object no longer exists.
	Stored Effect = iota
	// Removed means that a copy of the server's state includes the write if it shows no
	// object with this UID. Servers do not return the version of a deletion, so Version
	// is zero.
	Removed
)

// Written is one successful write.
type Written struct {
	Cluster  *Cluster
	Resource Resource
	Key      wire.Key
	UID      string
	Version  wire.Version
	Effect   Effect
	// Labels are those of the stored object; nil if the server's answer does not have them. The
	// receiver must not change them.
	Labels map[string]string
	// Field returns the value of a field of the stored object, by its name in field selectors,
	// and whether the server's answer shows the value. It is nil if the answer is not the
	// object. It retains the answer.
	Field func(name string) (value string, known bool)
}

// observers is a linked list of the functions that WithWrites adds to a context.
type observers struct {
	wrote func(Written)
	outer *observers
}

type observersKey struct{}

// WithWrites returns a context that reports every write made with it, by any client of
// any cluster, to wrote. A controller that passes this context to a reconciler can then
// wait until its own copy includes the writes. The function is called on the goroutine
// that writes, after the server's answer and before the client's method returns. If ctx
// already reports writes, both functions are called.
//
// Not reported are dry runs; writes whose answer was lost, which may have happened; a
// deletion of a collection that failed halfway; and requests of Cluster.Do. A nil wrote
// changes nothing.
func WithWrites(ctx context.Context, wrote func(Written)) context.Context {
	if wrote == nil {
		return ctx
	}
	outer, _ := ctx.Value(observersKey{}).(*observers)
	return context.WithValue(ctx, observersKey{}, &observers{wrote, outer})
}

// report calls the observers of a context, the innermost first.
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

// reportObject reports the object in the answer of a server to a write. field may be nil.
func (e *endpoint) reportObject(ctx context.Context, r Resource, meta metav1.Object, field func(string) (string, bool)) {
	w := Written{
		Resource: r, UID: string(meta.GetUID()), Field: field,
		Key: wire.Key{Namespace: meta.GetNamespace(), Name: meta.GetName()},
	}
	switch meta.(type) {
	case *autoscalingv1.Scale: // has no labels of the object
	default:
		if w.Labels = meta.GetLabels(); w.Labels == nil {
			w.Labels = map[string]string{}
		}
	}
	if isGone(meta) {
		w.Effect = Removed
	} else if v, err := wire.ParseVersion(meta.GetResourceVersion()); err == nil {
		w.Version = v
	}
	e.report(ctx, w)
}

// isGone reports whether the answer to a write shows an object for the last time: it was
// being deleted, and nothing retains it.
func isGone(meta metav1.Object) bool {
	grace := meta.GetDeletionGracePeriodSeconds()
	return meta.GetDeletionTimestamp() != nil && len(meta.GetFinalizers()) == 0 && (grace == nil || *grace == 0)
}
