package informer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/clusterid"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// plan lists the places that an engine follows, with the namespaces of each; no
// namespaces means all.
type plan struct {
	places     map[string]*place
	namespaces []string
}

// place is a cluster from its addition until its removal. A cluster that is removed and
// added again is another place, because its objects are dropped in between.
type place struct {
	name     string
	cluster  *kube.Cluster // nil if the engine has a source of its own
	identity *clusterid.Identity
	// unordered is set once the server turns out not to order its versions. From then
	// on no watch resumes at a version that another watch has reached.
	unordered atomic.Bool
}

// newPlace creates the place of a cluster. identifier is nil if the cluster cannot be
// identified.
func (e *engine) newPlace(name string, cluster *kube.Cluster, identifier clusterid.Identifier) *place {
	identity := clusterid.New(clusterid.Config{Cluster: identifier, Policy: clusterid.Relist, Logger: e.cfg.logger()})
	return &place{name: name, cluster: cluster, identity: identity}
}

// change edits the plan, either completely or, on an error, not at all. It does not
// wait; the keeper carries out the change.
func (e *engine) change(edit func(*plan) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := plan{maps.Clone(e.plan.places), e.plan.namespaces}
	if next.places == nil {
		next.places = map[string]*place{}
	}
	if err := edit(&next); err != nil {
		return err
	}
	if e.state == engineStopped {
		return ErrStopped
	}
	wanted := map[delta.Scope]*member{}
	for _, p := range next.places {
		for _, scope := range scopes(p.name, next.namespaces) {
			m, err := e.memberLocked(p, scope)
			if err != nil {
				return err
			}
			wanted[scope] = m
		}
	}
	e.plan, e.wanted = next, wanted
	e.admitLocked()
	if e.state == engineNew {
		if err := e.dropLocked(); err != nil {
			return err
		}
	}
	e.remind()
	e.tellLocked()
	return nil
}

// memberLocked returns the member of a scope, and creates it if there is none.
func (e *engine) memberLocked(p *place, scope delta.Scope) (*member, error) {
	for _, m := range []*member{e.wanted[scope], e.active[scope]} {
		if m != nil && m.place == p && !m.leaving {
			return m, nil
		}
	}
	src, err := e.open(p, scope)
	if err != nil {
		return nil, err
	}
	m := &member{scope: scope, place: p, source: src}
	m.guard = clusterid.NewGuard(p.identity, src, func(f func(context.Context)) { e.following.start(f) })
	if wider := e.active[delta.Scope{Cluster: scope.Cluster}]; wider != nil && wider.place == p && wider.scope.Contains(scope) {
		m.guard.Inherit(wider.guard)
	}
	m.reflector, err = e.reflect(m, e.queue, 0)
	return m, err
}

// admitLocked adds the scopes of wanted members to the store, so that Synced waits for
// them, and so that they take over the objects of a wider scope when that scope leaves.
// A scope must wait if an old place with the same cluster name has not left yet.
func (e *engine) admitLocked() {
	held := map[string]bool{}
	for _, m := range e.active {
		if m.place != e.plan.places[m.place.name] {
			held[m.place.name] = true
		}
	}
	for scope, m := range e.wanted {
		if e.active[scope] == nil && !held[scope.Cluster] {
			e.active[scope] = m
			e.store.AddScope(scope)
		}
	}
}

// dropLocked removes the unwanted scopes of an engine that is not running yet.
func (e *engine) dropLocked() error {
	for scope, m := range e.active {
		if e.wanted[scope] == m {
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

// remind wakes the keeper.
func (e *engine) remind() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

func (e *engine) namespaces() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.plan.namespaces)
}

// errOneSource is the error for a change of scope on an informer that has only one
// source.
var errOneSource = errors.New("informer: it was made by New and follows the source it was given")

// add adds a cluster to the plan.
func (i *Informer[T]) add(name string, cluster *kube.Cluster) error {
	if cluster == nil {
		return errors.New("informer: the cluster is nil; kube.Connect returns one")
	}
	return i.engine.change(func(p *plan) error {
		switch {
		case p.places[name] != nil:
			return fmt.Errorf("informer: there is a cluster %q already", name)
		case p.places[""] != nil:
			return errUnnamed
		}
		p.places[name] = i.engine.newPlace(name, cluster, cluster)
		return nil
	})
}

var errUnnamed = errors.New("informer: objects of several clusters need cluster names in their keys: begin with Across, and give each cluster a name")

// AddCluster follows one more cluster, whose name is part of the keys of its objects.
// It may be called before and while the informer runs, from any goroutine, and does not
// wait. A cluster that cannot be reached does not affect the others; Health shows it.
//
// Errors: a name that is empty or taken, a nil cluster, ErrStopped; an informer that
// was created for one cluster.
func (i *Informer[T]) AddCluster(name string, cluster *kube.Cluster) error {
	switch {
	case i.single:
		return errOneSource
	case name == "":
		return errUnnamed
	}
	return i.add(name, cluster)
}

// RemoveCluster stops following a cluster and drops its objects: subscribers see them
// as Deleted by store.Unwatched. It may be called from any goroutine, and does not wait
// for the removal. A cluster that is added again under the same name is listed from
// scratch.
//
// Errors: an unknown cluster; ErrStopped; the cause of ctx, if it is already done.
func (i *Informer[T]) RemoveCluster(ctx context.Context, name string) error {
	if i.single {
		return errOneSource
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return i.engine.change(func(p *plan) error {
		if p.places[name] == nil {
			return fmt.Errorf("informer: there is no cluster %q", name)
		}
		delete(p.places, name)
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
		return errOneSource
	}
	probe := Config{Namespaces: namespaces}
	if err := probe.check(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return i.engine.change(func(p *plan) error {
		p.namespaces = slices.Clone(namespaces)
		return nil
	})
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

// ofOneSource returns the open function of an informer made by New.
func ofOneSource(src reflector.Source) func(*place, delta.Scope) (reflector.Source, error) {
	return func(*place, delta.Scope) (reflector.Source, error) { return src, nil }
}
