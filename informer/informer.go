package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Informer keeps a copy of the objects of type T. Create it with Watch, Across,
// Project, For or New.
type Informer[T any] struct {
	engine   *engine
	clusters *clusters // nil if it has a source of its own
	decoder  decoder[T]
	shared   *shared // nil if it is of no factory
	released sync.Once
}

// Watch returns an informer of the objects of type T in a cluster: a built-in
// type such as corev1.Pod, the Go struct of a custom resource,
// unstructured.Unstructured for any type, or metav1.PartialObjectMetadata to
// have only the metadata fetched. It does nothing until Run.
//
// Errors: a nil cluster; an illegal configuration.
func Watch[T any](cluster *kube.Cluster, cfg Config) (*Informer[T], error) {
	return follow[T](cluster, cfg, selectionOf[T](), nil)
}

// Across returns an informer of the objects of type T in several clusters, whose
// names are in the keys. It has none until AddCluster.
//
// Errors: an illegal configuration.
func Across[T any](cfg Config) (*Informer[T], error) { return across[T](cfg, selectionOf[T](), nil) }

// New returns an informer of the objects that src lists and watches. It ignores the
// fields of cfg that select objects. It does nothing until Run.
//
// Errors: a nil source; an illegal configuration.
func New[T any](src reflector.Source, cfg Config) (*Informer[T], error) {
	cfg.Namespaces = nil
	i := &Informer[T]{}
	if err := i.init(cfg, nil, func(delta.Scope) (reflector.Source, error) { return src, nil }); err != nil {
		return nil, err
	}
	if err := i.engine.add(delta.Scope{}); err != nil {
		return nil, err
	}
	return i, nil
}

// follow makes an informer of one cluster. group is nil if it stands alone.
func follow[T any](cluster *kube.Cluster, cfg Config, sel selection, group *store.Group) (*Informer[T], error) {
	i, err := across[T](cfg, sel, group)
	if err != nil {
		return nil, err
	}
	if err := i.add("", cluster); err != nil {
		i.engine.store.Leave()
		return nil, err
	}
	return i, nil
}

// across makes an informer without clusters. group is nil if it stands alone.
func across[T any](cfg Config, sel selection, group *store.Group) (*Informer[T], error) {
	if cfg.Resource == "" {
		if sel.err != nil {
			return nil, sel.err
		}
		cfg.Resource = sel.resource
	}
	if cfg.WarmStart.Path != "" && cfg.WarmStart.Key == nil && secret(cfg.Resource) && sel.view != kube.Metadata {
		return nil, errors.New("informer: secrets are only written to a snapshot file that is encrypted: set WarmStart.Key, or leave WarmStart.Path out")
	}
	selection := kube.Selection{
		LabelSelector: cfg.LabelSelector,
		FieldSelector: cfg.FieldSelector,
		View:          sel.view,
		Encoding:      sel.encoding,
	}
	i := &Informer[T]{clusters: &clusters{byName: map[string]*kube.Cluster{}, namespaces: cfg.Namespaces}}
	err := i.init(cfg, group, func(scope delta.Scope) (reflector.Source, error) {
		one := selection
		one.Namespace = scope.Namespace
		return i.clusters.get(scope.Cluster).Source(cfg.Resource, one), nil
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// init makes the engine. It checks the configuration first: an engine that is made
// joins a group of stores.
func (i *Informer[T]) init(cfg Config, group *store.Group, open func(delta.Scope) (reflector.Source, error)) error {
	if err := cfg.check(); err != nil {
		return err
	}
	if cfg.HotObjects > 0 && !copies[T]() {
		return fmt.Errorf("informer: Config.HotObjects needs a type that can be copied, and %s has no DeepCopyInto", name[T]())
	}
	i.engine = newEngine(cfg, group, func(rec wire.Record) (any, error) {
		obj, err := i.decoder.record(rec)
		if err != nil {
			return nil, err // not a nil *T, which an index would take for an object
		}
		return obj, nil
	}, open)
	i.decoder = decoder[T]{hot: newHotObjects[T](cfg.HotObjects), count: &i.engine.decodes}
	return nil
}

// clusters are those of one informer.
type clusters struct {
	mu         sync.Mutex
	byName     map[string]*kube.Cluster
	namespaces []string
}

func (c *clusters) get(name string) *kube.Cluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byName[name]
}

// add follows one more cluster.
func (i *Informer[T]) add(name string, cluster *kube.Cluster) error {
	c := i.clusters
	if cluster == nil {
		return errors.New("informer: the cluster is nil; kube.Connect returns one")
	}
	c.mu.Lock()
	if _, there := c.byName[name]; there {
		c.mu.Unlock()
		return fmt.Errorf("informer: there is a cluster %q already", name)
	}
	c.byName[name] = cluster
	if w := &i.engine.cfg.WarmStart; name == "" && w.Identity == "" {
		w.Identity = cluster.Host()
	}
	namespaces := c.namespaces
	c.mu.Unlock()
	for _, scope := range scopes(name, namespaces) {
		if err := i.engine.add(scope); err != nil {
			return err
		}
	}
	return nil
}

// errOneSource is returned where an informer has nothing to choose from.
var errOneSource = errors.New("informer: it was made by New and follows the source it was given")

// AddCluster follows one more cluster, whose name is in the keys of its objects.
// It may be called before and while the informer runs, from any goroutine. A
// cluster that can not be reached does not disturb the others; it shows in
// Health.
//
// Errors: a name that is empty or taken, a nil cluster, ErrStopped; an informer
// that was made for one cluster.
func (i *Informer[T]) AddCluster(name string, cluster *kube.Cluster) error {
	switch {
	case i.clusters == nil:
		return errOneSource
	case name == "" || i.clusters.get("") != nil:
		return errors.New("informer: objects of several clusters need cluster names in their keys: begin with Across, and give each cluster a name")
	}
	return i.add(name, cluster)
}

// RemoveCluster follows a cluster no longer, and drops its objects: subscribers
// see them as Deleted by store.Unwatched.
//
// Errors: there is no such cluster; ErrStopped; the cause of ctx.
func (i *Informer[T]) RemoveCluster(ctx context.Context, name string) error {
	if i.clusters == nil {
		return errOneSource
	}
	c := i.clusters
	c.mu.Lock()
	_, there := c.byName[name]
	delete(c.byName, name)
	c.mu.Unlock()
	if !there {
		return fmt.Errorf("informer: there is no cluster %q", name)
	}
	return i.engine.set(ctx, name, nil)
}

// SetNamespaces makes these namespaces, or all if there are none, those that are
// followed. What they have in common with those before is not fetched again.
// Objects of the others are dropped: subscribers see them as Deleted by
// store.Unwatched. It may be called from any goroutine, one at a time. All who
// share the informer through a factory see the same namespaces.
//
// Errors: an illegal or repeated name; ErrStopped; the cause of ctx.
func (i *Informer[T]) SetNamespaces(ctx context.Context, namespaces ...string) error {
	if i.clusters == nil {
		return errOneSource
	}
	probe := Config{Namespaces: namespaces}
	if err := probe.check(); err != nil {
		return err
	}
	c := i.clusters
	c.mu.Lock()
	c.namespaces = namespaces
	var names []string
	for name := range c.byName {
		names = append(names, name)
	}
	c.mu.Unlock()
	for _, name := range names {
		if err := i.engine.set(ctx, name, scopes(name, namespaces)); err != nil {
			return err
		}
	}
	return nil
}

// Run follows the cluster until ctx is done, and returns nil then. It may be
// called once; an informer that has stopped still shows what it saw last. It has
// joined all its goroutines when it returns, those of handlers included.
//
// Errors: ErrRunTwice; ErrShared.
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.shared != nil {
		return ErrShared
	}
	return i.engine.run(ctx)
}

// Synced returns a channel that is closed once the first list of every scope has
// been applied, or a snapshot file was loaded: from then on a snapshot shows all
// there is.
func (i *Informer[T]) Synced() <-chan struct{} { return i.engine.store.Synced() }

// Health returns how the connection to the cluster is, and a channel that is
// closed at the next news.
func (i *Informer[T]) Health() (Health, <-chan struct{}) { return i.engine.health() }

// Stats counts what an informer did, and what it holds.
type Stats struct {
	store.Stats
	// Decodes counts the objects that were decoded, by all who share the informer.
	Decodes uint64
	// Queued and QueuedBytes are what waits before the store.
	Queued, QueuedBytes int
}

// Stats returns the counters.
func (i *Informer[T]) Stats() Stats { return i.engine.stats() }

func (e *engine) stats() Stats {
	st := Stats{Stats: e.store.Stats(), Decodes: e.decodes.Load()}
	st.Queued, st.QueuedBytes = e.queue.Len()
	return st
}

// WaitFor waits until the informer shows a version: that of an object that was
// written, so that the writer reads his own write. Versions can only be compared
// within one cluster and type.
//
// Errors: the cause of ctx.
func (i *Informer[T]) WaitFor(ctx context.Context, version wire.Version) error {
	return i.engine.store.WaitFor(ctx, version)
}
