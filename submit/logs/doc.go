// Package logs reads the logs of a job: all pods and attempts, live and kept.
//
// # Data flow
//
//	job -> finder: pods whose chain of controllers leads to the job, by UID
//	pods, kept logs -> attemptsOf: which run of which container belongs to which attempt
//	run -> live (GET pods/log) or past (record/joblog) -> batches -> merge -> Read
//	Follow: informer on pods -> further runs -> live.follow -> window -> Read
//
// # Ownership
//
// [Read] works on the goroutine of its loop, and starts one for each log that it reads; with
// Options.Follow also three for the job and its pods. All of them have ended when the loop
// has. Lines belong to the caller. The cluster and the kept logs stay the caller's.
//
// # Guarantees
//
// Without Follow, attempts come one after another, and the lines of an attempt in the order of
// the times that the nodes gave them. Lines of one container stay in their order, also where
// the clock of its node went back. With Follow, the past comes in the same way, and then lines
// as they arrive, in the order of time within a quarter of a second. Read ends when the job has
// ended and its logs were read. Containers that go on after the job has ended are read for ten
// seconds more.
//
// A connection that breaks loses and repeats no line, as long as the node has the lines. A
// server ends an answer in order also where it has lost the node, so Read asks for what
// follows the last line until nothing does. Lines that the node has rotated away are a gap,
// and a note says so in its place. A pod that cannot be read costs a note, and no other pod. If
// its log was kept, the kept lines follow the note.
//
// An attempt begins with each restart of a container, and with each pod that replaces
// another one: the pod before it with the same index or name, or else the one that failed first. The number of restarts that a
// JobSet writes on its pods, and the clusters of a RayJob, count too. The numbers agree with
// those of the history for jobs whose pods are replaced. They are lower if earlier pods are
// gone and no log of them is kept. They are higher if containers restart within their pods:
// the job does not change its state then, so the history has one attempt.
//
// # Limits
//
// Options.Streams bounds the connections. Attempts with more logs are read in groups, and only
// lines of one group are in the order of time. Beside each log wait at most two batches of 64
// KiB and a line. A line is cut at [MaxLine]. The window of Follow holds 4 MiB, or a batch more.
//
// A node does not say which run of a container it serves. If a container restarts in the
// instant between a look at its pod and the request, its lines may count for the run before. A
// node serves the last two runs of a container, and only the last file of each. Two lines of
// one time and text cannot be told apart, so one of them may be missing after a rotation.
// After a cut within a second in which a clock went back, or with more than 65,536 lines, lines of
// that second may be missing. Lines that are written after a cut and rotated away before the next answer
// are noticed only if a later line comes.
//
// Pods are found through labels of their operator, if the first list shows that these work,
// else by listing the namespace, where owners of the job's own type are not read. A controller between pod and job must be readable. Logs that
// are kept are found by the UID of the job or of what owns its pods.
//
// # Errors
//
// [NoLogsError] if there is nothing to read, *submit.DeniedError with the role that would give
// a missing right, *kube.RequestError, errors of the database. Everything that concerns one log
// is a note: [Line].Note.
package logs
