package informer

import (
	"slices"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/reflector/clusterid"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Watch returns an informer for the objects of type T in a cluster. T is a built-in
// type such as corev1.Pod, the Go struct of a custom resource,
// unstructured.Unstructured for any type, or metav1.PartialObjectMetadata to fetch only
// the metadata. T is the struct, not a pointer to it, and not a list. The informer
// fetches objects in the group and version of T: see kube.TargetOf. Watch sends no
// request before Run.
//
// Errors: a nil cluster; a T that is not the struct of an API type; an invalid
// configuration.
func Watch[T any](cluster *kube.Cluster, cfg Config) (*Informer[T], error) {
	sel, err := selectionOf[T](&cfg)
	if err != nil {
		return nil, err
	}
	return follow[T](cluster, cfg, sel, nil)
}

// Across returns an informer for the objects of type T in several clusters. The name of
// the cluster is part of each key. The informer has no cluster until AddCluster.
//
// Errors: an invalid configuration.
func Across[T any](cfg Config) (*Informer[T], error) {
	sel, err := selectionOf[T](&cfg)
	if err != nil {
		return nil, err
	}
	i, err := across[T](cfg, sel, nil)
	if err != nil {
		return nil, err
	}
	i.engine.several = true
	return i, nil
}

// New returns an informer for the objects that src lists and watches. It ignores the
// fields of cfg that select objects. New sends no request before Run.
//
// Errors: a nil source; an invalid configuration.
func New[T any](src reflector.Source, cfg Config) (*Informer[T], error) {
	cfg.Namespaces = nil
	if src == nil {
		return nil, invalid("kube.Cluster.Source returns one", "New needs a source")
	}
	i := &Informer[T]{single: true}
	sel, _ := selectionOf[T](&cfg) // the type of a source may be unknown to servers
	if err := i.init(cfg, sel, nil, singleSource(src)); err != nil {
		return nil, err
	}
	identifier, _ := src.(clusterid.Identifier)
	err := i.engine.change(func(s *spec) error {
		s.clusters[""] = i.engine.newClusterState("", nil, identifier)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// follow creates an informer for one cluster. group is nil outside a factory.
func follow[T any](cluster *kube.Cluster, cfg Config, sel selection, group *store.Group) (*Informer[T], error) {
	i, err := across[T](cfg, sel, group)
	if err != nil {
		return nil, err
	}
	if err := i.addCluster("", cluster); err != nil {
		i.engine.store.Leave()
		return nil, err
	}
	return i, nil
}

// across creates an informer without clusters. group is nil outside a factory.
func across[T any](cfg Config, sel selection, group *store.Group) (*Informer[T], error) {
	cfg.Resource = sel.target.String()
	selection := kube.Selection{
		LabelSelector: cfg.LabelSelector,
		FieldSelector: cfg.FieldSelector,
		View:          sel.target.View(),
		Encoding:      sel.encoding,
	}
	i := &Informer[T]{}
	err := i.init(cfg, sel, group, func(c *clusterState, scope delta.Scope) (reflector.Source, error) {
		one := selection
		one.Namespace = scope.Namespace
		return c.cluster.Source(sel.target, one), nil
	})
	if err != nil {
		return nil, err
	}
	i.engine.spec.namespaces = slices.Clone(cfg.Namespaces)
	return i, nil
}

// init creates the engine. It checks the configuration first, because a new engine
// joins a group of stores.
func (i *Informer[T]) init(cfg Config, sel selection, group *store.Group, open func(*clusterState, delta.Scope) (reflector.Source, error)) error {
	if err := checked[T](&cfg, &sel); err != nil {
		return err
	}
	i.resync, i.logger = cfg.Resync, cfg.logger
	i.engine = newEngine(cfg, group, i.sharedDecoder(cfg.Decode), open)
	i.engine.completion = completionOf(&cfg, &sel)
	i.decoder = decoder[T]{cache: newObjectCache[T](cfg.HotObjects), count: &i.engine.decodes, completion: i.engine.completion}
	i.engine.identity = cfg.storeIdentity(&sel)
	return nil
}

// sharedDecoder returns the function that makes the objects of a Live informer. Objects of
// one template share the values that they have in common.
func (i *Informer[T]) sharedDecoder(custom func(wire.Record) (any, error)) func(wire.Record) (any, error) {
	if custom != nil {
		return custom
	}
	return func(rec wire.Record) (any, error) {
		i.decoder.count.Add(1)
		obj := new(T)
		if err := wire.DecodeShared(rec, obj); err != nil {
			return nil, err // not a nil *T, which an index would treat as an object
		}
		i.decoder.complete(obj)
		return obj, nil
	}
}

// checked returns an error for an invalid configuration of an informer of type T.
func checked[T any](cfg *Config, sel *selection) error {
	if err := cfg.check(); err != nil {
		return err
	}
	if cfg.HotObjects > 0 && !copies[T]() {
		return invalid("", "Config.HotObjects needs a type that can be copied, and %s has no DeepCopyInto", name[T]())
	}
	if cfg.WarmStart.Path != "" && cfg.WarmStart.Key == nil && (secret(cfg.Resource) || secret(sel.target.String())) && sel.target.View() != kube.Metadata {
		return invalid("set WarmStart.Key, or omit WarmStart.Path", "secrets are only written to a snapshot file that is encrypted")
	}
	return nil
}
