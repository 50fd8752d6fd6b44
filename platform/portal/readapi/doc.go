// Package readapi has the operations of the JSON API that read, except the stream of changes.
//
// # Data flow
//
//	request -> ask: person, sight, instant, filter
//	        -> job index: lists, counts, suggestions, rows; platform/portal/stats, platform/portal/insight
//	        -> database: messages, nodes, pods, revisions, bodies, kept logs, deliveries, coverage
//	        -> API server, in the name of the person: logs and events
//
// # Ownership
//
// Register keeps the configuration, and owns nothing in it. It starts no goroutine; a request
// that follows a log starts one and joins it.
//
// # Guarantees
//
// Every read is limited to the sight of the person: rows, counts, suggestions, statistics,
// neighbors in a chain, gaps. A job that may not be seen is answered like one that does not exist.
// Logs also need the right to read the logs of pods. Operations and dead letters are for operators.
//
// With at, each answer about a job describes the instant: rows, revisions, pods, attempts, events,
// messages and lines of the log.
//
// During an outage of the database, lists, counts and suggestions are answered from the
// index.
//
// # Limits
//
// Lists of a job have at most 1,000 items a page, jobs 500, lines of a log 5,000. At most 2,000
// pods of a job and 20 jobs of a chain are read, and 256 logs are followed at the same time. For an
// instant, 500 pods of a job have their bodies of that time, and the others their last ones; the
// tries of a message that ended later are unknown. A page of a log reads at most 1,048,576 lines of
// a run of a container. Statistics are cached for 2 s, clusters for 30 s, in bounded memory. The
// phase of a recorder in another process is derived from its coverage and its gaps: "unknown" after
// three minutes without coverage. Numbers that are not stored are -1.
//
// # Errors
//
// Errors are problem documents, see package web.
package readapi
