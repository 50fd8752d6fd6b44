package informer

import (
	"context"

	fieldselectors "k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	operators "k8s.io/apimachinery/pkg/selection"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// Follows reports whether the informer follows the written object: it has the type of the
// informer, and is in a followed cluster and namespace. The write must have used the same
// kube.Cluster as the informer. An object that the label selector or the field selector does
// not match is followed only as long as the informer still shows it. If the server's answer
// to the write does not show a selected field, the object counts as followed, which is logged
// once.
func (i *Informer[T]) Follows(w kube.Written) bool {
	cluster, ok := i.clusterOf(w)
	if !ok || i.engine.selects(w) {
		return ok
	}
	key := w.Key
	key.Cluster = cluster
	e, there := i.engine.store.Snapshot().Get(key)
	return there && (w.UID == "" || e.UID() == w.UID)
}

// Shows reports whether the informer shows the write or a later state. It also returns
// true if the informer does not follow the object.
func (i *Informer[T]) Shows(w kube.Written) bool {
	cluster, ok := i.clusterOf(w)
	return !ok || shows(i.engine.store.Snapshot(), cluster, w)
}

// WaitForWrite waits until the informer shows the written object or a later state of
// it. For a deleted object it waits until the object is gone. It returns at once if the
// informer does not follow the object, and also when the informer stops following it.
// If a selector hides the object, only a bookmark (about one a minute) or another event
// proves that the informer has reached the write; Follows is false for such an object.
//
// Errors: the cause of ctx; ErrWaitInHandler.
func (i *Informer[T]) WaitForWrite(ctx context.Context, w kube.Written) error {
	cluster, ok := i.clusterOf(w)
	if !ok {
		return nil
	}
	if err := i.engine.checkWait(ctx); err != nil {
		return err
	}
	return i.engine.store.WaitUntil(ctx, func(now *store.Snapshot) bool { return shows(now, cluster, w) })
}

// shows reports whether a snapshot shows a write to a cluster, or does not follow the
// written object. The version of a removed object is unknown, but its UID is known.
func shows(now *store.Snapshot, cluster string, w kube.Written) bool {
	key := w.Key
	key.Cluster = cluster
	e, there := now.Get(key)
	if w.Effect == kube.Removed {
		return !there || w.UID != "" && e.UID() != w.UID
	}
	followed := false
	for _, scope := range []delta.Scope{{Cluster: cluster, Namespace: key.Namespace}, {Cluster: cluster}} {
		if now.Follows(scope) {
			followed = true
			if now.Reached(scope) >= w.Version {
				return true
			}
		}
	}
	return !followed || there && e.UID() == w.UID && e.Version() >= w.Version
}

// selects reports whether the selectors of the engine match a written object. An object
// counts as matched as long as it is unknown whether it is.
func (e *engine) selects(w kube.Written) bool {
	if chosen, err := labels.Parse(e.cfg.LabelSelector); w.Labels != nil && err == nil && !chosen.Matches(labels.Set(w.Labels)) {
		return false // New has checked the selector
	}
	chosen, err := fieldselectors.ParseSelector(e.cfg.FieldSelector)
	if err != nil {
		return true
	}
	unknown := ""
	for _, r := range chosen.Requirements() {
		value, known := fieldOf(w, r.Field)
		switch {
		case !known:
			unknown = r.Field
		case (value == r.Value) == (r.Operator == operators.NotEquals):
			return false
		}
	}
	if unknown != "" && !e.unknownField.Swap(true) {
		e.cfg.logger().Warn("informer: a field selector cannot be evaluated for written objects; keys wait for objects that it hides, up to WriteWait",
			"field", unknown, "resource", e.cfg.Resource, "remedy", "select by labels")
	}
	return true
}

// fieldOf returns the value of a field of a written object, and whether it is known.
func fieldOf(w kube.Written, name string) (value string, known bool) {
	switch {
	case name == "metadata.name":
		return w.Key.Name, true
	case name == "metadata.namespace":
		return w.Key.Namespace, true
	case w.Field == nil:
		return "", false
	}
	return w.Field(name)
}

// clusterOf returns the name of the cluster that a written object belongs to.
func (i *Informer[T]) clusterOf(w kube.Written) (string, bool) {
	e := i.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	for scope, m := range e.wanted {
		src, ok := m.source.(*kube.Source)
		if ok && (scope.Namespace == "" || scope.Namespace == w.Key.Namespace) && holds(src, w) {
			return scope.Cluster, true
		}
	}
	return "", false
}

// holds reports whether an object was written in the cluster of a source and has its type,
// in any version.
func holds(s *kube.Source, w kube.Written) bool {
	r, known := s.Resource()
	return known && s.Cluster() == w.Cluster && r.Group == w.Resource.Group && r.Name == w.Resource.Name
}
