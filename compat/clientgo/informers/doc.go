// Package informers has the names of k8s.io/client-go/informers, with a factory whose
// informers run on the engine of Vedette. A program changes its import path and nothing
// else.
//
// # Data flow
//
// An accessor such as Core().V1().Pods() is client-go's. It gives the factory a function
// that makes an informer with a client. The factory calls it with a client that the byte
// tunnel reaches, and adopts the informer that it returns.
//
// # Ownership
//
// As in client-go: all users of a type share one informer and its objects, which nobody
// may change.
//
// # Guarantees
//
// Those of package clientgo. An informer that a custom function makes with selectors or
// a transform keeps them. An informer that cannot be adopted is used as it is.
//
// # Limits
//
// Groups that not all served versions of client-go have, such as Lifecycle, come from a
// factory of client-go inside, and their informers are not accelerated.
//
// # Errors
//
// ForResource returns client-go's error for an unknown type.
package informers
