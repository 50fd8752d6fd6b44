// Package recordmetrics shows recorders to Prometheus. It stands apart from package
// metrics so that who only has informers does not get the drivers of databases.
//
// # Data flow
//
//	record.Recorder.Health -> Collector -> a prometheus.Registerer of yours
//
// # Ownership
//
// A Collector may be used by any goroutine. It keeps nothing: all values are read when
// they are collected. There is no registry of the package's own, and nothing is
// registered in a global one.
//
// # Guarantees
//
// Lags are measured for every event of a watch, from its being read off the connection
// to the commit of the transaction that has it. Counters never go back as long as the
// recorder lives.
//
// # Limits
//
// The number of series grows with the number of targets, not with that of objects. All
// have the labels cluster, type, namespace and selector.
//
// # Errors
//
// None: what can not be known is left out.
package recordmetrics
