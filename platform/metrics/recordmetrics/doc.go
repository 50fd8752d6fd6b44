// Package recordmetrics exports the health of recorders to Prometheus. It is separate from
// package metrics, so that programs that use only informers do not link database drivers.
//
// # Data flow
//
//	record.Recorder.Health -> Collector -> a prometheus.Registerer
//
// # Ownership
//
// A Collector is safe for concurrent use. It stores nothing: it reads all values at each
// collection. The package has no registry, and does not use the global one.
//
// # Guarantees
//
// The lag histograms count every event of a watch, from reading it to the commit that
// contains it. Counters never decrease during the life of a recorder.
//
// A renamed metric has its old and its new name for one version. The help text of the old
// name marks it as deprecated.
//
// # Limits
//
// The number of series grows with the number of targets, not with the number of objects.
// All series have the labels cluster, type, namespace and selector, except replaced_total,
// which counts for a whole cluster.
//
// # Errors
//
// None. The collector omits unknown values.
package recordmetrics
