// Package metrics shows informers, queues and controllers to Prometheus.
//
// # Data flow
//
//	informer.Factory.List or informer.Informer.Running -> Collector -> a prometheus.Registerer of yours
//	workqueue.Queue.Stats -> Queues; controller.Controller.Health -> Controllers -> the same
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
// Counters never go back as long as what they count lives.
//
// # Limits
//
// The number of series grows with the number of informers, scopes, handlers,
// queues, priorities and controllers, not with the number of objects. Two
// informers of the same objects are told apart by a number behind their name, in
// the order of the list.
//
// # Errors
//
// None: what can not be known is left out.
package metrics
