// Package cancel tests the cancellation and the repetition of jobs on a real control plane:
// each type of jobs is submitted, seen by the recorder, cancelled and retried.
//
// # Data flow
//
//	submit -> kube-apiserver -> record -> SQLite -> history.Chain
//	cancel -> annotations and suspension or deletion, on the same way
//
// # Ownership
//
// One control plane serves all tests of the package, one after another.
//
// # Guarantees
//
// The definitions of custom types are those of their operators (package crds). Pods of batch
// Jobs run on nodes of kwok.
//
// # Limits
//
// The operators of custom types do not run. Where only an operator says that a job is
// suspended or aborted, the test writes the status in its place.
//
// # Errors
//
// A failed test shows the ends of the logs of the control plane.
package cancel
