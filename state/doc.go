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
// # Limits
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
