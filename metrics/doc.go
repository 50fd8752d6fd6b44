// Package metrics exports metrics of informers, queues and controllers to Prometheus.
//
// # Data flow
//
//	informer.Factory.List or informer.Informer.Running -> Collector -> your prometheus.Registerer
//	workqueue.Queue.Stats -> Queues; controller.Controller.Health -> Controllers -> the same
//
// # Ownership
//
// Any goroutine may use a Collector. It keeps no values: it reads all of them at each
// collection. The package has no registry, and does not register anything in a global one.
//
// # Guarantees
//
// Lags are measured for every event, from when it was read from the connection.
// A counter never decreases while the informer, queue or controller exists.
//
// # Limits
//
// The number of series grows with the number of informers, scopes, handlers,
// queues, priorities and controllers, not with the number of objects. Two
// informers of the same objects are distinguished by a number after their name, in the
// order of the list.
//
// # Errors
//
// None: a metric without a value is left out.
package metrics
