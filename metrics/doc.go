// Package metrics shows informers to Prometheus.
//
// # Data flow
//
//	informer.Factory.List or informer.Informer.Running -> Collector -> a prometheus.Registerer of yours
//
// # Ownership
//
// A Collector may be used by any goroutine. It keeps nothing: all values are
// read when they are collected. There is no registry of the package's own, and
// nothing is registered in a global one.
//
// # Guarantees
//
// Lags are measured for every event, from its being read off the connection.
// Counters never go back as long as an informer lives.
//
// # Limits
//
// The number of series grows with the number of informers, scopes and handlers,
// not with the number of objects. Two informers of the same objects are told
// apart by a number behind their name, in the order of the list.
//
// # Errors
//
// None: what can not be known is left out.
package metrics
