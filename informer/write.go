package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// Follows reports whether the informer follows the written object: it has the type of the
// informer, and is in a followed cluster and namespace. The write must have used the same
// kube.Cluster as the informer. Follows does not evaluate selectors.
func (i *Informer[T]) Follows(w kube.Written) bool {
	_, ok := i.clusterOf(w)
	return ok
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
// proves that the informer has reached the write.
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
