// Package logkeeper keeps the ends of the logs of containers in a store, before their pods
// are gone.
//
// # Data flow
//
//	informer of pods -> roster: the ends that a revision tells for the first time
//	roster -> queue: one job for each run of a container, by node -> fetch -> shelf -> Store
//	Tail -> follower: one stream for each running container -> shelf -> Store
//	sweeper: all ended runs that the Store does not have -> queue
//
// A Selection says of which pods logs are kept: by the types of their owners, or by their
// namespaces. An owner is the controller of a pod, or of an owner, or an object that
// well-known labels name. The keeper asks the server for the metadata of owners.
//
// # Ownership
//
// Run starts all goroutines and joins them. Other methods may be called from any goroutine.
// The Store belongs to the caller.
//
// # Guarantees
//
// Each run of a container is fetched once its end is reported: one for the same run at a
// time, 4 on one node and 16 in all. A fetch without an answer for a second makes room for
// another one, so a hung node holds up no other. Failed fetches are tried again with backoff
// as long as the pod exists. If a pod is being deleted, its running containers are read at
// once, and followed to their end. A log whose end could not be read is stored with the
// reason. Runs that ended while no keeper ran are fetched at the start, if their pods exist.
//
// While the database is away, logs wait in memory. Fetches begin only if there is room for
// their answers; the others wait at their nodes. Logs are stored more than once rather than
// lost, and the Store merges them. A keeper asks the Store first if other keepers store the
// same logs, and leaves them up to 400 ms.
//
// # Limits
//
// Memory: Config.Hold bytes of logs, 256 KiB for each followed container, and the packed
// pods. The server reports ends in whole seconds. So lines of a container that runs again
// within a second may be stored with the run before, too. An API server that loses a node in
// the middle of an answer ends the answer in order, so the lost lines are not noticed. A
// kubelet serves the present file of a log only: lines in rotated files are not read. A
// container that restarts twice before its log is read loses the first log.
//
// # Errors
//
// New returns an error for an invalid Config. Faults of the cluster, of nodes and of the
// database appear in the log, once when they begin or change and once when they end, and in
// Stats. They never end Run.
package logkeeper
