package informer

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/kube"
)

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
