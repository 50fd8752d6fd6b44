// Package readapi has the operations of the JSON API that read, except for the stream of changes.
//
// # Data flow
//
//	request -> ask: who asks, what they see, as of when, which filter
//	        -> job index: lists, counts, suggestions, rows; portal/stats, portal/insight
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
// While the database is away, lists, counts and suggestions are answered from the index.
//
// # Limits
//
// Lists of a job have at most 1,000 items a page, jobs 500, lines of a log 5,000. At most 2,000
// pods of a job and 20 jobs of a chain are read, and 256 logs are followed at the same time.
// Of the past, 500 pods of a job have their bodies of the instant, and the others their last ones;
// of a message that ended later, the tries are not known. A page of a log reads at most 1,048,576
// lines of a run of a container. Statistics are kept for 2 s, clusters for 30 s, in bounded memory. The phase of a recorder in
// another process is a conclusion from its coverage and its gaps: "unknown" after three minutes
// of silence. Numbers that nobody stores are -1.
//
// # Errors
//
// Errors are problem documents, see package web.
package readapi
