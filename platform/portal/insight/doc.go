// Package insight explains why a job waits or failed, and predicts when it starts.
//
// # Data flow
//
//	recorded Workloads, ClusterQueues, LocalQueues of Kueue -> quota, line
//	recorded PodGroups, Queues of Volcano                   -> limit, reasons
//	recorded pods and events                                -> placement: nodes by reason; endings (package job) by attempt
//	quota, line -> places of all jobs that wait, by cluster -> rows of lists
//	index of jobs -> waits of a queue -> like jobs; forecast -> backtest -> likely start
//	facts -> keys of sentences -> words of a language -> api.Waiting, api.Failure, api.Forecast
//
// # Ownership
//
// An Insight caches Kueue's objects of a cluster for two seconds, places in line for ten, and the
// waits of a queue for a minute, all bounded. Run refreshes the lines that were requested within
// the last minute. Answers belong to the caller.
//
// # Guarantees
//
// An answer uses only recorded objects. Unknown facts are missing, and Unknown has the reasons. An
// answer has a likely start only if a backtest over the recorded history shows that its range
// holds: for at least 75 percent of at least 30 jobs, and not much less often for the last quarter
// of them. The backtest predicts each past job at several moments of its wait, from the data of
// that moment.
//
// Names of jobs and owners appear only if the person may see their namespace. The others count
// in numbers and sums.
//
// # Limits
//
// The order of a line is the order of a ClusterQueue with Kueue's default configuration: priority,
// then time. Quotas are sums over the flavors of a resource. Quota that a cohort lends is unknown.
// At most 20,000 open workloads of a cluster, 4,000 waits of a queue, 2,000 pods of a job and 60
// bodies of pods are read. Quota and line are always current; they are unknown for an earlier
// instant.
//
// # Errors
//
// Errors come from the database and the index. Unexpected objects leave facts unknown, and never
// fail an answer.
package insight
