//go:build clientgo036 || clientgo037

package informers

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// WithInformerName sets the name of the informers in metrics.
func WithInformerName(name *cache.InformerName) SharedInformerOption {
	return withStock(informers.WithInformerName(name))
}
