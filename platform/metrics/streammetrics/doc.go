// Package streammetrics reports a streamer to Prometheus.
//
// # Data flow
//
//	stream.Streamer.Stats, cursor of the feed -> Collector -> registry
//
// # Ownership
//
// A Collector owns nothing. It is safe for concurrent use if its functions are.
//
// # Guarantees
//
// A collection takes at most 5 seconds, also while the database is away.
//
// # Limits
//
// The counters are those of one process. The number of waiting transitions is that of the stream.
//
// # Errors
//
// A database that does not answer is the value 0 of vedette_stream_database_up.
package streammetrics
