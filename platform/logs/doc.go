// Package logs reads the logs of a job: all pods and attempts, live and kept.
//
// # Data flow
//
//	job -> finder: pods whose chain of controllers leads to the job, by UID
//	pods, kept logs -> attemptsOf: the attempt of each run of each container
//	run -> live (GET pods/log) or past (platform/logs/joblog) -> batches -> merge -> Read
//	Follow: informer on pods -> further runs -> live.follow -> window -> Read
//
// # Ownership
//
// [Read] runs on the goroutine of its loop, and starts one for each log that it reads;
// with Options.Follow also three for the job and its pods. All of them end before the loop
// ends. Lines belong to the caller. The caller keeps ownership of the cluster and the kept
// logs.
//
// # Guarantees
//
// Without Follow, attempts come one after another, and the lines of an attempt are ordered
// by the times that the nodes gave them. Lines of one container stay in their order, even
// if the clock of its node was set back. With Follow, existing lines come in the same way,
// and then new lines as they arrive, ordered by time within a quarter of a second. Read
// ends when the job has ended and its logs were read. Containers that continue after the
// end of the job are read for ten more seconds.
//
// A broken connection loses and repeats no line, as long as the node has the lines. A
// server also ends an answer normally when it has lost the node, so Read requests the
// lines after the last one until there are none. If the node has rotated lines away, a
// note marks the gap. A pod that cannot be read causes a note, and does not affect other
// pods. If its log was kept, the kept lines follow the note.
//
// An attempt begins with each restart of a container, and with each pod that replaces
// another one: the previous pod with the same index or name, or else the one that failed
// first. The restart count that a JobSet writes to its pods, and the clusters of a RayJob,
// are used too. The numbers agree with the history for jobs whose pods are replaced. They
// are lower if earlier pods are deleted and no log of them is kept. They are higher if
// containers restart within their pods: the state of the job does not change then, so the
// history has one attempt.
//
// # Limits
//
// Options.Streams limits the connections. Attempts with more logs are read in groups, and
// only lines of one group are ordered by time. For each log at most two batches of 64 KiB
// and one line are in memory. A line is truncated at [MaxLine]. The window of Follow holds
// 4 MiB plus at most one batch.
//
// A node does not report which run of a container it serves. If a container restarts
// between the check of its pod and the request, its lines may be assigned to the previous
// run. A node serves the last two runs of a container, and only the last file of each. Two
// lines with the same time and text are indistinguishable, so one of them may be missing
// after a rotation. If a connection breaks within a second in which a clock was set back,
// or with more than 65,536 lines, lines of that second may be missing. If lines are
// written after a break and rotated away before the next answer, the gap is noticed only
// when a later line arrives.
//
// Pods are found through labels of their operator, if the first list shows that these
// work. Otherwise the namespace is listed, and owners of the job's own type are not read.
// A controller between pod and job must be readable. Kept logs are found by the UID of the
// job or of the owners of its pods.
//
// # Errors
//
// [NoLogsError] if no log exists, *submit.DeniedError with a role that grants a missing
// right, *kube.RequestError, errors of the database. Problems of a single log are notes:
// [Line].Note.
package logs
