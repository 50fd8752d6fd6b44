// Package ctrlcache has the constructor that copied tests of controller-runtime's cache
// call.
package ctrlcache

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
	"github.com/vedette-io/vedette/wire"
)

// New replaces the function of controller-runtime's cache. It keeps managedFields,
// because tests compare objects with those of a client.
func New(config *rest.Config, opts cache.Options) (cache.Cache, error) {
	if engine.Ours() {
		return controllerruntime.NewCacheWith(func(runtime.Object) clientgo.Options {
			return clientgo.Options{ManagedFields: wire.KeepManagedFields}
		})(config, opts)
	}
	return cache.New(config, opts)
}
