// Package ctrlmanager has the constructor that copied tests of controller-runtime's
// controllers call.
package ctrlmanager

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/vedette-io/vedette/conformance/suites/swap/ctrlcache"
)

// New replaces the function of controller-runtime's manager, with the cache of the
// engine.
func New(config *rest.Config, opts manager.Options) (manager.Manager, error) {
	if opts.NewCache == nil {
		opts.NewCache = ctrlcache.New
	}
	return manager.New(config, opts)
}
