// Package cache has the names of k8s.io/client-go/tools/cache. Informers that it
// constructs run on the engine of Vedette; every other name is client-go's own. A
// program changes its import path and nothing else.
//
// # Data flow
//
// A constructor lets client-go make an informer, and adopts it.
//
// # Ownership
//
// As in client-go: all users of an informer share its objects, which nobody may change.
//
// # Guarantees
//
// Those of package clientgo.
//
// # Limits
//
// The client of the list and watch functions must be made from a rest.Config of
// clientgo.Wrap; else client-go's informer does the work. Reflectors, queues and stores
// that a program puts together itself are client-go's. Names that came with client-go
// 0.36, for example, need the build tag clientgo036, or an import of client-go's package.
//
// # Errors
//
// Those of package clientgo.
package cache

//go:generate go run github.com/vedette-io/vedette/compat/clientgo/internal/mirror tools/cache
