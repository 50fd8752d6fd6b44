// Package state says in one word what an object is doing.
//
// # Data flow
//
//	an object's fields (as JSON has them) -> Of -> Status{State, Raw, Reason, Message, At}
//
// # Ownership
//
// Everything here is a pure function: it keeps nothing, changes nothing, and
// may be called from any goroutine.
//
// # Guarantees
//
// The common states mean the same for every type, so that jobs of different
// kinds can be counted together; Raw keeps the type's own word. An object of a
// type without a rule gets what its phase or conditions say, or the empty
// Status: nothing is guessed.
//
// A job that was cancelled (package jobmeta) is Aborted, with the reason "Cancelled" and the
// actor in the message: at once if it was cancelled by deleting it, while it is on hold if
// by suspending it, and when its type says so if its operator was told to stop it.
//
// # Limits
//
// The annotations of a cancellation are claims: anybody who may change an object may write
// any name into them. They decide no right, and a final state of the type comes before them.
//
// There are rules for Pod, Node, Deployment, batch Job, Kueue Workload, Volcano
// Job, Kubeflow TrainJob, PyTorchJob and its siblings, RayJob, JobSet and Argo
// Workflow, for all versions of their APIs; every other kind falls back to its
// phase and conditions.
//
// # Errors
//
// There are none: a field that is missing or of another type than the rule
// expects counts as not set.
package state
