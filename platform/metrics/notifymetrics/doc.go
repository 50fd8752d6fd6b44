// Package notifymetrics exports notifications to Prometheus. It is separate from package
// metrics, so that programs that use only informers do not link database drivers.
//
// # Data flow
//
//	notify.Workers.Stats, delivery.Counts -> Collector -> a prometheus.Registerer
//
// # Ownership
//
// Any goroutine may use a Collector. It stores nothing: it reads all values at each
// collection. The package has no registry, and registers nothing in a global one.
//
// # Guarantees
//
// Counters and histograms count the work of this process, and never decrease. The numbers
// of deliveries, their age and the pauses come from the database, so every replica reports
// the same values. A channel without deliveries reports 0.
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
