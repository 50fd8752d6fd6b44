package controllerruntime

import "sigs.k8s.io/controller-runtime/pkg/client"

// ReadYourWrites is for manager.Options.Client and cluster.Options: reads of the client
// from the cache wait until the cache shows what the client wrote. It switches on
// controller-runtime's own way to do so, which works with every cache.
func ReadYourWrites() client.Options {
	yes := true
	return client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: &yes}}
}
