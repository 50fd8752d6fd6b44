package contest

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/compat/clientgo"
	adapter "github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/informer"
)

// openControllerRuntime opens a cache of controller-runtime.
func openControllerRuntime(env Env) (Cache, error) {
	return openRuntime(env, ctrlcache.New, resourceHandler)
}

// openAdapterRuntime opens the same with our engine.
func openAdapterRuntime(create ctrlcache.NewCacheFunc) func(Env) (Cache, error) {
	return func(env Env) (Cache, error) { return openRuntime(env, create, adapterHandler) }
}

// lean returns a function that creates caches without managedFields.
func lean(storage informer.Storage) ctrlcache.NewCacheFunc {
	return adapter.NewCacheWith(func(runtime.Object) clientgo.Options {
		return clientgo.Options{Storage: storage, DropManagedFields: true}
	})
}

// openRuntime opens one cache with an informer for each kind. It defines the types
// itself, because the server of the bench has no discovery.
func openRuntime(env Env, create ctrlcache.NewCacheFunc, handler func(Handler) toolscache.ResourceEventHandler) (Cache, error) {
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
	c, err := create(env.rest(), ctrlcache.Options{Scheme: types, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	out := &controllerRuntimeCache{cache: c, synced: make(chan struct{}), types: types, objects: env.Objects, kind: env.Kinds[0].GVK()}
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
			if _, err := inf.AddEventHandler(handler(h)); err != nil {
				return nil, err
			}
		}
		if env.Index {
			if err := c.IndexField(context.Background(), obj, appIndex, func(obj client.Object) []string { return []string{obj.GetLabels()["app"]} }); err != nil {
				return nil, err
			}
		}
		if shared, ok := inf.(toolscache.SharedIndexInformer); ok {
			out.informers = append(out.informers, shared)
		}
	}
	return out, nil
}

// template returns an object of the requested type.
func template(types *runtime.Scheme, o Object, gvk schema.GroupVersionKind) (client.Object, error) {
	if o == Dynamic {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u, nil
	}
	if o == Metadata {
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(gvk)
		return m, nil
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

	types   *runtime.Scheme
	objects Object
	kind    schema.GroupVersionKind // of the first informer, for readers
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

// Names implements Reader.
func (c *controllerRuntimeCache) Names() []toolscache.ObjectName {
	return names(c.informers[0].GetStore().ListKeys())
}

// Get implements Reader.
func (c *controllerRuntimeCache) Get(ctx context.Context, name toolscache.ObjectName) (metav1.Object, error) {
	obj, err := template(c.types, c.objects, c.kind)
	if err != nil {
		return nil, err
	}
	err = c.cache.Get(ctx, client.ObjectKey{Namespace: name.Namespace, Name: name.Name}, obj)
	return obj, client.IgnoreNotFound(err)
}

// ByApp implements Reader.
func (c *controllerRuntimeCache) ByApp(ctx context.Context, app string, f func(metav1.Object)) error {
	return c.list(ctx, f, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(appIndex, app)})
}

// Select implements Reader.
func (c *controllerRuntimeCache) Select(ctx context.Context, s labels.Selector, f func(metav1.Object)) error {
	return c.list(ctx, f, client.MatchingLabelsSelector{Selector: s})
}

func (c *controllerRuntimeCache) list(ctx context.Context, f func(metav1.Object), opts ...client.ListOption) error {
	list, err := c.emptyList()
	if err != nil {
		return err
	}
	if err := c.cache.List(ctx, list, opts...); err != nil {
		return err
	}
	return meta.EachListItem(list, func(obj runtime.Object) error {
		one, err := meta.Accessor(obj)
		if err == nil {
			f(one)
		}
		return err
	})
}

// emptyList returns an empty list of the type for readers.
func (c *controllerRuntimeCache) emptyList() (client.ObjectList, error) {
	kind := c.kind.GroupVersion().WithKind(c.kind.Kind + "List")
	switch c.objects {
	case Dynamic:
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(kind)
		return u, nil
	case Metadata:
		m := &metav1.PartialObjectMetadataList{}
		m.SetGroupVersionKind(kind)
		return m, nil
	}
	obj, err := c.types.New(kind)
	if err != nil {
		return nil, err
	}
	return obj.(client.ObjectList), nil
}
