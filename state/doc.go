// Package state computes the state of an object: its current activity, as one word.
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
// type without a rule gets a state from its phase or conditions, or the empty
// Status. No state is guessed.
//
// A job that was cancelled (package jobmeta) is Aborted, with the reason "Cancelled" and the
// actor in the message. If it was cancelled by deleting it, it is Aborted at once; if by
// suspending it, while it is on hold; if by a command to its operator, when the status from
// the operator shows it.
//
// # Limits
//
// The annotations of a cancellation are claims: anybody who may change an object may write
// any name into them. They grant no right, and a final state of the type has precedence.
//
// There are rules for Pod, Node, Deployment, batch Job, Kueue Workload, Volcano
// Job, Kubeflow TrainJob, PyTorchJob and its siblings, RayJob, JobSet and Argo
// Workflow, for all versions of their APIs; every other kind falls back to its
// phase and conditions.
//
// # Errors
//
// None. A field that is missing or of another type than the rule expects counts as not
// set.
package state
