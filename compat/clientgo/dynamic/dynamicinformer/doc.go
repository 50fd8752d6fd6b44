// Package dynamicinformer has the names of k8s.io/client-go/dynamic/dynamicinformer, with factories
// whose informers run on the engine of Vedette. A program changes its import path and
// nothing else.
//
// # Data flow
//
// A factory lets client-go make an informer with a client that the byte tunnel reaches,
// and adopts it.
//
// # Ownership
//
// As in client-go: all users of a resource share one informer and its objects, which
// nobody may change.
//
// # Guarantees
//
// Those of package clientgo.
//
// # Limits
//
// A fake client gets client-go's own informers.
//
// # Errors
//
// Those of package clientgo.
package dynamicinformer
