package informer

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/reflector/clusterid"
)

// newClusterState creates the state of a cluster. identifier is nil if the cluster
// cannot be identified.
func (e *engine) newClusterState(name string, cluster *kube.Cluster, identifier clusterid.Identifier) *clusterState {
	identity := clusterid.New(clusterid.Config{Cluster: identifier, Policy: clusterid.Relist, Logger: e.cfg.logger()})
	return &clusterState{name: name, cluster: cluster, identity: identity}
}

// change edits the spec. If it returns an error, the spec is unchanged. It does not
// wait: reconcile carries out the change.
func (e *engine) change(edit func(*spec) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := spec{maps.Clone(e.spec.clusters), e.spec.namespaces}
	if next.clusters == nil {
		next.clusters = map[string]*clusterState{}
	}
	if err := edit(&next); err != nil {
		return err
	}
	if e.state == engineStopped {
		return ErrStopped
	}
	wanted := map[delta.Scope]*listWatch{}
	for _, c := range next.clusters {
		for _, scope := range scopes(c.name, next.namespaces) {
			lw, err := e.listWatchLocked(c, scope)
			if err != nil {
				return err
			}
			wanted[scope] = lw
		}
	}
	e.spec, e.wanted = next, wanted
	e.admitLocked()
	if e.state == engineNew {
		if err := e.dropLocked(); err != nil {
			return err
		}
	}
	e.wake()
	e.notifyLocked()
	return nil
}

// scopes returns the scopes of one cluster.
func scopes(cluster string, namespaces []string) []delta.Scope {
	if len(namespaces) == 0 {
		return []delta.Scope{{Cluster: cluster}}
	}
	var all []delta.Scope
	for _, ns := range namespaces {
		all = append(all, delta.Scope{Cluster: cluster, Namespace: ns})
	}
	return all
}

// listWatchLocked returns the list and watch of a scope, and creates it if there is
// none.
func (e *engine) listWatchLocked(c *clusterState, scope delta.Scope) (*listWatch, error) {
	for _, lw := range []*listWatch{e.wanted[scope], e.active[scope]} {
		if lw != nil && lw.cluster == c && !lw.leaving {
			return lw, nil
		}
	}
	src, err := e.open(c, scope)
	if err != nil {
		return nil, err
	}
	lw := &listWatch{scope: scope, cluster: c, source: src}
	lw.guard = clusterid.NewGuard(c.identity, src, func(f func(context.Context)) { e.producers.start(f) })
	if wider := e.active[delta.Scope{Cluster: scope.Cluster}]; wider != nil && wider.cluster == c && wider.scope.Contains(scope) {
		lw.guard.Inherit(wider.guard)
	}
	lw.reflector, err = e.reflect(lw, e.queue, 0)
	return lw, err
}

// admitLocked adds the wanted scopes to the store. Synced then waits for them, and they
// take over the objects of a wider scope when that scope leaves. A scope must wait while
// an earlier cluster of the same name has not left yet.
func (e *engine) admitLocked() {
	leaving := map[string]bool{}
	for _, lw := range e.active {
		if lw.cluster != e.spec.clusters[lw.cluster.name] {
			leaving[lw.cluster.name] = true
		}
	}
	for scope, lw := range e.wanted {
		if e.active[scope] == nil && !leaving[scope.Cluster] {
			e.active[scope] = lw
			e.store.AddScope(scope)
		}
	}
}

// dropLocked removes the unwanted scopes of an engine that is not running yet.
func (e *engine) dropLocked() error {
	for scope, lw := range e.active {
		if e.wanted[scope] == lw {
			continue
		}
		delete(e.active, scope)
		if err := e.store.Apply(e.stopped, delta.Batch{{Kind: delta.Leave, Scope: scope}}); err != nil {
			return err
		}
	}
	e.admitLocked()
	return nil
}

// wake wakes reconcile.
func (e *engine) wake() {
	select {
	case e.wakeup <- struct{}{}:
	default: // a token is waiting already
	}
}

func (e *engine) namespaces() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.spec.namespaces...)
}

// singleSource returns the open function of an informer made by New.
func singleSource(src reflector.Source) func(*clusterState, delta.Scope) (reflector.Source, error) {
	return func(*clusterState, delta.Scope) (reflector.Source, error) { return src, nil }
}

// errSingleSource is the error for a change of clusters or namespaces of an informer
// that New made.
var errSingleSource = invalid("use Watch or Across to choose clusters and namespaces", "an informer made by New follows its source only")

var errUnnamed = invalid("create the informer with Across, and name each cluster", "objects of several clusters need cluster names in their keys")

// addCluster adds a cluster to the spec.
func (i *Informer[T]) addCluster(name string, cluster *kube.Cluster) error {
	if cluster == nil {
		return invalid("kube.Connect returns one", "the cluster is nil")
	}
	return i.engine.change(func(s *spec) error {
		switch {
		case s.clusters[name] != nil:
			return invalid("", "there is a cluster %q already", name)
		case s.clusters[""] != nil:
			return errUnnamed
		}
		s.clusters[name] = i.engine.newClusterState(name, cluster, cluster)
		return nil
	})
}

// AddCluster follows one more cluster, whose name is part of the keys of its objects.
// It may be called before and while the informer runs, from any goroutine, and does not
// wait. A cluster that cannot be reached does not affect the others; Health shows it.
//
// Errors: a name that is empty or taken, a nil cluster, ErrStopped; an informer that
// was created for one cluster.
func (i *Informer[T]) AddCluster(name string, cluster *kube.Cluster) error {
	switch {
	case i.single:
		return errSingleSource
	case name == "":
		return errUnnamed
	}
	return i.addCluster(name, cluster)
}

// RemoveCluster stops following a cluster and drops its objects: subscribers see them
// as Deleted by store.Unwatched. It may be called from any goroutine, and does not wait
// for the removal. A cluster that is added again under the same name is listed from
// scratch.
//
// Errors: an unknown cluster; ErrStopped; the cause of ctx, if it is already done.
func (i *Informer[T]) RemoveCluster(ctx context.Context, name string) error {
	if i.single {
		return errSingleSource
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return i.engine.change(func(s *spec) error {
		if s.clusters[name] == nil {
			return invalid("", "there is no cluster %q", name)
		}
		delete(s.clusters, name)
		return nil
	})
}

// SetNamespaces replaces the followed namespaces; no namespaces means all. Objects in
// both the old and the new namespaces stay, and subscribers see all their changes. A
// change from all namespaces to some fetches nothing; in a change from some to all, the
// informer follows the old ones until the list of all is complete. Objects of the other
// namespaces are dropped: subscribers see them as Deleted by store.Unwatched.
// SetNamespaces may be called from any goroutine, and does not wait for the change;
// Health shows the scopes. All users that share the informer through a factory see the
// same namespaces.
//
// Errors: an invalid or repeated name; ErrStopped; the cause of ctx, if it is already
// done.
func (i *Informer[T]) SetNamespaces(ctx context.Context, namespaces ...string) error {
	if i.single {
		return errSingleSource
	}
	if err := checkNamespaces(namespaces); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return i.engine.change(func(s *spec) error {
		s.namespaces = slices.Clone(namespaces)
		return nil
	})
}
