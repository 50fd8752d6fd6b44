// Package logkeeper stores the ends of the logs of containers before their pods are
// deleted.
//
// # Data flow
//
//	informer of pods -> roster: the ends that a revision shows for the first time
//	roster -> queue: one job for each run of a container, by node -> fetch -> shelf -> Store
//	Tail -> follower: one stream for each running container -> shelf -> Store
//	sweeper: all ended runs that the Store does not have -> queue
//
// A Selection selects pods by the types of their owners, or by their namespaces. An owner
// is the controller of a pod, or of an owner, or an object in well-known labels. The
// keeper reads the metadata of owners from the server.
//
// # Ownership
//
// Run starts all goroutines and joins them. Any goroutine may call the other methods. The
// Store belongs to the caller.
//
// # Guarantees
//
// Each run of a container is fetched once its end is reported: one fetch for the same run
// at a time, 4 on one node and 16 in all. A fetch without an answer for a second makes
// room for another one, so a hung node does not block other nodes. Failed fetches are
// retried with backoff as long as the pod exists. If a pod is being deleted, its running
// containers are read immediately, and followed to their end. A log whose end could not be
// read is stored with the reason. Runs that ended while no keeper ran are fetched at the
// start, if their pods exist.
//
// While the database is unavailable, logs wait in memory. Fetches start only if there is
// room for their answers; until then the logs stay at their nodes. Logs are stored more
// than once rather than lost, and the Store merges them. If several keepers store the same
// logs, a keeper checks the Store first, and delays its fetches by up to 400 ms.
//
// # Limits
//
// Memory: Config.Hold bytes of logs, 256 KiB for each followed container, and the packed
// pods. The server reports ends in whole seconds. So lines of a container that restarts
// within a second may also be stored with the previous run. If an API server loses a node
// in the middle of an answer, it ends the answer normally, so the lost lines are not
// noticed. A kubelet serves only the current file of a log: lines in rotated files are not
// read. A container that restarts twice before its log is read loses the first log.
//
// # Errors
//
// New returns an error for an invalid Config. Faults of the cluster, of nodes and of the
// database are logged once when they begin or change and once when they end, and are in
// Stats. They never end Run.
package logkeeper
