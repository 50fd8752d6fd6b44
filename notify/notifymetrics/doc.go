// Package notifymetrics exports notifications to Prometheus. It is separate from package
// metrics, so that programs with informers alone do not link database drivers.
//
// # Data flow
//
//	notify.Workers.Stats, delivery.Counts -> Collector -> a prometheus.Registerer
//
// # Ownership
//
// Any goroutine may use a Collector. It stores nothing: it reads all values when it is
// collected. The package has no registry, and registers nothing in a global one.
//
// # Guarantees
//
// Counters and histograms count what this process did, and do not decrease during its
// life. The numbers of deliveries, their age and the pauses are those of the database, so
// every replica reports the same. A channel without deliveries reports 0.
//
// # Limits
//
// The number of series grows with the number of channels. One query of a collection counts
// the unsent deliveries and the dead letters, within five seconds.
//
// # Errors
//
// If the database does not answer, database_up is 0 and the numbers of deliveries are left
// out.
package notifymetrics
