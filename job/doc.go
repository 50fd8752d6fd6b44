// Package job decides everything that Vedette says about a job: its state, its resources, why
// its pods failed, how long it waited and ran, its attempts, and its submitter. Every other
// package reads the answers here.
//
// # Data flow
//
//	an object's fields (as JSON has them) -> ReadStatus -> Status{State, Raw, Reason, Message, At}
//	an object's fields                    -> ReadSpec   -> Spec{GPUs, Pods, Queue, Attempts, ...}
//	Status of a job, Statuses of its pods -> Status.WithPods -> why the job does not run
//	fields of a pod -> Runs -> Endings -> FirstEnding   -> the cause of its failure
//	transitions of an object              -> LifeOf     -> Life{Spans, Waited, Ran, Attempts, Outcome, ...}
//	spans of a life                       -> Attempts   -> the times of each attempt
//	labels and annotations                -> SubmitterOf, QueueOf, and the names in labels.go
//
// Object is the one reader of the fields of an object.
//
// # Ownership
//
// Everything here is a pure function of its arguments and of the kinds: it keeps nothing, changes
// nothing, and may be called from any goroutine. Kinds are the built-in ones, and those that a
// program adds with Define when it starts. A Spec keeps a reference to its object. The package
// needs only the standard library.
//
// # Guarantees
//
// The common states mean the same for every type, so that jobs of different kinds can be
// counted together; Raw keeps the type's own word. An object of a type without a rule gets a
// state from its phase or conditions, or the empty Status. No state is guessed.
//
// A job that was cancelled is Aborted, with the reason "Cancelled" and the actor in the
// message. If it was cancelled by deleting it, it is Aborted at once; if by suspending it,
// while it is on hold; if by a command to its operator, when the status from the operator
// shows it.
//
// One decision about each failed pod, in this order:
//
//  1. The platform ended the pod: eviction, preemption, node loss, deadline. The exit codes of
//     its containers are a consequence.
//  2. A container that failed and did not recover precedes one that runs again or has
//     succeeded since.
//  3. The container that ended first is the cause, because the others often end as a
//     consequence. The API has whole seconds. Within a second, a container that was stopped by
//     SIGTERM or SIGKILL follows the others, and the main container precedes sidecars.
//
// A native sidecar, which is an init container with restartPolicy Always, is never the cause:
// its exit codes do not count for the phase of the pod (KEP-753). It is the cause only if its
// image cannot be pulled, because the pod then cannot start.
//
// Names of labels and annotations never change, because recorded objects have them. Any tool
// may set them.
//
// # Limits
//
// Objects come from users. Fields of wrong types, huge numbers and invalid JSON leave facts
// zero. An unknown fact is zero: the package does not guess. Bodies over 4 MiB are not read.
// Numbers of GPUs and pods are limited to 1,000,000, and deadlines to 10 years. GPUs that a
// pod claims by dynamic resource allocation are not counted, and neither are GPUs that only
// the runtime of a TrainJob requests. For a workflow, only the largest pod is counted.
//
// ReadStatus shows only what the object says. A batch Job does not say that its pods fit on no
// node, or cannot pull their image: it is Starting, until WithPods adds what its pods say. A Job that was suspended and resumed is
// Running as soon as it has a succeeded pod of its time before.
//
// The status of a pod has the last two ends of a container. The main container is the one in
// the annotation kubectl.kubernetes.io/default-container, otherwise the first one of the spec.
//
// The annotations of a submission or a cancellation are claims: anybody who may change an
// object may write any name into them. They grant no right, and a final state of the type has
// precedence.
//
// # Errors
//
// None. A field that is missing or of another type than a rule expects counts as not set.
package job
