// Package ctrlcache has the constructor that copied tests of controller-runtime's cache
// call.
package ctrlcache

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
)

// New replaces the function of controller-runtime's cache.
func New(config *rest.Config, opts cache.Options) (cache.Cache, error) {
	if engine.Ours() {
		return controllerruntime.NewCache(config, opts)
	}
	return cache.New(config, opts)
}
