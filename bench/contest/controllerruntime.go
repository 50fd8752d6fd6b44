package contest

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/vedette-io/vedette/bench/workload"
)

// openControllerRuntime opens one cache with an informer for each kind. What it
// needs to know of types it is told, as the server of the bench has no discovery.
func openControllerRuntime(env Env) (Cache, error) {
	ctrllog.SetLogger(logr.Discard())
	types := runtime.NewScheme()
	if err := scheme.AddToScheme(types); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, k := range env.Kinds {
		scope := meta.RESTScopeRoot
		if k.Scope == workload.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		mapper.AddSpecific(k.GVK(), k.GVR(), k.GVR(), scope)
		if k.Custom {
			types.AddKnownTypeWithName(k.GVK(), &workload.Widget{})
			types.AddKnownTypeWithName(k.GVK().GroupVersion().WithKind(k.Kind+"List"), &workload.WidgetList{})
			metav1.AddToGroupVersion(types, k.GVK().GroupVersion())
		}
	}
	c, err := ctrlcache.New(env.rest(), ctrlcache.Options{Scheme: types, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	out := &controllerRuntimeCache{cache: c, synced: make(chan struct{})}
	for _, k := range env.Kinds {
		obj, err := template(types, env.Objects, k.GVK())
		if err != nil {
			return nil, err
		}
		inf, err := c.GetInformer(context.Background(), obj, ctrlcache.BlockUntilSynced(false))
		if err != nil {
			return nil, err
		}
		for _, h := range env.Handlers {
			if _, err := inf.AddEventHandler(resourceHandler(h)); err != nil {
				return nil, err
			}
		}
		if shared, ok := inf.(toolscache.SharedIndexInformer); ok {
			out.informers = append(out.informers, shared)
		}
	}
	return out, nil
}

// template says which type is wanted.
func template(types *runtime.Scheme, o Object, gvk schema.GroupVersionKind) (client.Object, error) {
	if o == Dynamic {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u, nil
	}
	obj, err := types.New(gvk)
	if err != nil {
		return nil, err
	}
	return obj.(client.Object), nil
}

type controllerRuntimeCache struct {
	cache     ctrlcache.Cache
	informers []toolscache.SharedIndexInformer
	synced    chan struct{}
}

// Run implements Cache.
func (c *controllerRuntimeCache) Run(ctx context.Context) error {
	go func() {
		if c.cache.WaitForCacheSync(ctx) {
			close(c.synced)
		}
	}()
	return c.cache.Start(ctx)
}

// Synced implements Cache.
func (c *controllerRuntimeCache) Synced() <-chan struct{} { return c.synced }

// Len implements Cache.
func (c *controllerRuntimeCache) Len() int {
	n := 0
	for _, inf := range c.informers {
		n += len(inf.GetStore().ListKeys())
	}
	return n
}
