// Package insight says why a job waits, why it failed, and when it is likely to start.
//
// # Data flow
//
//	recorded Workloads, ClusterQueues, LocalQueues of Kueue -> quota, line
//	recorded PodGroups, Queues of Volcano                   -> limit, reasons
//	recorded pods and events                                -> placement: nodes by reason; endings by attempt
//	quota, line -> places of all jobs that wait, by cluster -> rows of lists
//	index of jobs -> waits of a queue -> like jobs; forecast -> backtest -> likely start
//	facts -> keys of sentences -> words of a language -> api.Waiting, api.Failure, api.Forecast
//
// # Ownership
//
// An Insight keeps what it read of Kueue per cluster for two seconds, places in line for ten,
// and the waits of a queue for a minute, all bounded. Run reads the lines again that somebody
// has asked for within a minute. Answers belong to the caller.
//
// # Guarantees
//
// An answer says only what the recorded objects say. Unknown facts are missing, and Unknown
// has the reasons. A likely start is there only if a backtest over the recorded history says
// that its range holds: in at least 75 percent of at least 30 jobs, and not much less often in
// the last quarter of them. The backtest predicts each past job at several moments of its wait,
// from what was known at the moment.
//
// Names of jobs and owners appear only if the person may see their namespace. The others count
// in numbers and sums.
//
// # Limits
//
// The order of a line is that of a ClusterQueue with Kueue's default configuration: priority,
// then time. Quotas are sums over the flavors of a resource, and what a cohort lends is not
// known. At most 20,000 open workloads of a cluster, 4,000 waits of a queue, 2,000 pods of a
// job and 60 bodies of pods are read. Quota and line are those of now, not of an instant.
//
// # Errors
//
// Errors come from the database and the index. Objects that are not as expected leave facts
// unknown, and never fail an answer.
package insight
