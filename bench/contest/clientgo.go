package contest

import (
	"context"
	"iter"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
)

// openClientGo opens shared informers, one for each kind, with the index by namespace of
// client-go's factories.
func openClientGo(env Env) (Cache, error) {
	var all sharedInformers
	for _, k := range env.Kinds {
		inf, err := sharedInformer(&env, k, env.rest())
		if err != nil {
			return nil, err
		}
		if err := env.addIndex(inf); err != nil {
			return nil, err
		}
		for _, h := range env.Handlers {
			if _, err := inf.AddEventHandler(resourceHandler(h)); err != nil {
				return nil, err
			}
		}
		all = append(all, inf)
	}
	return all, nil
}

func sharedInformer(env *Env, k workload.Kind, cfg *rest.Config) (cache.SharedIndexInformer, error) {
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	switch env.Objects {
	case Dynamic:
		client, err := dynamic.NewForConfig(cfg)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicInformer(client, k.GVR(), metav1.NamespaceAll, 0, byNamespace, nil).Informer(), nil
	case Metadata:
		client, err := metadata.NewForConfig(cfg)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredMetadataInformer(client, k.GVR(), metav1.NamespaceAll, 0, byNamespace, nil).Informer(), nil
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	generic, err := informers.NewSharedInformerFactory(client, 0).ForResource(k.GVR())
	if err != nil {
		return nil, err
	}
	return generic.Informer(), nil
}

// sharedInformers are several of client-go's informers in one process.
type sharedInformers []cache.SharedIndexInformer

// Run implements Cache.
func (s sharedInformers) Run(ctx context.Context) error {
	return runAll(ctx, s.each())
}

func (s sharedInformers) each() iter.Seq[Cache] {
	return func(yield func(Cache) bool) {
		for _, inf := range s {
			if !yield(running{inf}) {
				return
			}
		}
	}
}

// running is one of these informers.
type running struct{ cache.SharedIndexInformer }

// Run implements Cache.
func (r running) Run(ctx context.Context) error {
	r.RunWithContext(ctx)
	return nil
}

// Synced implements Cache.
func (r running) Synced() <-chan struct{} { return r.HasSyncedChecker().Done() }

// Len implements Cache.
func (r running) Len() int { return len(r.GetStore().ListKeys()) }

// Synced implements Cache.
func (s sharedInformers) Synced() <-chan struct{} {
	var all []<-chan struct{}
	for c := range s.each() {
		all = append(all, c.Synced())
	}
	return whenAll(all)
}

// Len implements Cache.
func (s sharedInformers) Len() int {
	n := 0
	for c := range s.each() {
		n += c.Len()
	}
	return n
}

// names returns the keys of a store as names, sorted.
func names(keys []string) []cache.ObjectName {
	var all []cache.ObjectName
	for _, key := range slices.Sorted(slices.Values(keys)) {
		if name, err := cache.ParseObjectName(key); err == nil {
			all = append(all, name)
		}
	}
	return all
}

// Names implements Reader. Readers read the first informer.
func (s sharedInformers) Names() []cache.ObjectName { return names(s[0].GetStore().ListKeys()) }

// Get implements Reader, as a lister does.
func (s sharedInformers) Get(_ context.Context, name cache.ObjectName) (metav1.Object, error) {
	obj, ok, err := s[0].GetIndexer().GetByKey(name.String())
	if err != nil || !ok {
		return nil, err
	}
	return obj.(metav1.Object), nil
}

// ByApp implements Reader.
func (s sharedInformers) ByApp(_ context.Context, app string, f func(metav1.Object)) error {
	all, err := s[0].GetIndexer().ByIndex(appIndex, app)
	for _, obj := range all {
		f(obj.(metav1.Object))
	}
	return err
}

// Select implements Reader, with the function that all listers of client-go call.
func (s sharedInformers) Select(_ context.Context, by labels.Selector, f func(metav1.Object)) error {
	return cache.ListAll(s[0].GetIndexer(), by, func(obj any) { f(obj.(metav1.Object)) })
}
