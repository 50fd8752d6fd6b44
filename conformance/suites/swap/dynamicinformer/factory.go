// Package dynamicinformer has the constructors that copied tests of dynamicinformer call.
package dynamicinformer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"

	mirror "github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	"github.com/vedette-io/vedette/conformance/suites/bridge"
	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
)

// NewDynamicSharedInformerFactory replaces the function of dynamicinformer.
func NewDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration) dynamicinformer.DynamicSharedInformerFactory {
	return NewFilteredDynamicSharedInformerFactory(client, resync, v1.NamespaceAll, nil)
}

// NewFilteredDynamicSharedInformerFactory replaces the function of dynamicinformer.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration, namespace string, tweak dynamicinformer.TweakListOptionsFunc) dynamicinformer.DynamicSharedInformerFactory {
	if engine.Ours() {
		return mirror.NewFilteredDynamicSharedInformerFactory(bridged(client), resync, namespace, tweak)
	}
	return dynamicinformer.NewFilteredDynamicSharedInformerFactory(bridged(client), resync, namespace, tweak)
}

// bridged returns a real client that reads the objects of a fake.
func bridged(client dynamic.Interface) dynamic.Interface {
	made, ok := client.(*fake.FakeDynamicClient)
	if !ok || engine.Stock() {
		return client
	}
	opts := bridge.Options{JSON: true} // our factory wraps the client itself
	read, err := dynamic.NewForConfig(bridge.Config(bridge.NewTransport(sources(made)), opts))
	utilruntime.Must(err) // a test that cannot start must end
	return read
}

// sources returns the sources of a fake. The kind of a resource is its name, as these
// tests have no irregular plurals.
func sources(client dynamic.Interface) bridge.Sources {
	return func(path string) (cache.ListerWatcher, bridge.Kind, error) {
		resource, namespace, err := parse(path)
		if err != nil {
			return nil, bridge.Kind{}, err
		}
		read := client.Resource(resource).Namespace(namespace)
		name := strings.TrimSuffix(resource.Resource, "s")
		kind := resource.GroupVersion().WithKind(strings.ToUpper(name[:1]) + name[1:])
		return &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, opts v1.ListOptions) (runtime.Object, error) { return read.List(ctx, opts) },
			WatchFuncWithContext: func(ctx context.Context, opts v1.ListOptions) (watch.Interface, error) {
				return read.Watch(ctx, opts)
			},
		}, bridge.Kind{GroupVersionKind: kind, Loose: true}, nil
	}
}

// parse splits a path such as /apis/apps/v1/namespaces/a/deployments.
func parse(path string) (resource schema.GroupVersionResource, namespace string, err error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "api" {
		parts = append([]string{"apis", ""}, parts[1:]...)
	}
	switch {
	case len(parts) == 6 && parts[3] == "namespaces":
		namespace, parts = parts[4], append(parts[:3:3], parts[5])
	case len(parts) != 4:
		return resource, "", fmt.Errorf("%s is not the path of a list", path)
	}
	return schema.GroupVersionResource{Group: parts[1], Version: parts[2], Resource: parts[3]}, namespace, nil
}
