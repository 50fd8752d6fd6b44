package contest

import (
	"context"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
)

// openClientGo opens shared informers, one for each kind, with the index by
// namespace that its factories make.
func openClientGo(env Env) (Cache, error) {
	var all sharedInformers
	for _, k := range env.Kinds {
		inf, err := sharedInformer(&env, k)
		if err != nil {
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

func sharedInformer(env *Env, k workload.Kind) (cache.SharedIndexInformer, error) {
	cfg := env.rest()
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

// resourceHandler makes one of client-go's handlers of ours.
func resourceHandler(h Handler) cache.ResourceEventHandler {
	told := func(obj any) {
		if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = last.Obj
		}
		meta, ok := obj.(metav1.Object)
		switch {
		case !ok:
		case h.Read:
			h.Told(meta.GetName(), workload.Sent(meta.GetAnnotations()[workload.StampKey]))
		default:
			h.Told(meta.GetName(), 0)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: told, UpdateFunc: func(_, obj any) { told(obj) }, DeleteFunc: told}
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

// running is one of them.
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
