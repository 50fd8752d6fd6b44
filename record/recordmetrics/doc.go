// Package recordmetrics exports the health of recorders to Prometheus. It is separate from
// package metrics, so that programs with informers alone do not link database drivers.
//
// # Data flow
//
//	record.Recorder.Health -> Collector -> a prometheus.Registerer
//
// # Ownership
//
// Any goroutine may use a Collector. It stores nothing: it reads all values when it is
// collected. The package has no registry, and registers nothing in a global one.
//
// # Guarantees
//
// The lag histograms count every event of a watch, from reading it to the commit that
// contains it. Counters do not decrease during the life of a recorder.
//
// A metric that is renamed has its old and its new name for one version. The help text of
// the old name says that it is deprecated.
//
// # Limits
//
// The number of series grows with the number of targets, and not with the number of
// objects. All series have the labels cluster, type, namespace and selector, except
// replaced_total, which counts for a whole cluster.
//
// # Errors
//
// None. The collector leaves out values that are not known.
package recordmetrics
