// Package cancel tests the cancellation and the retry of jobs on a real control plane. Each
// type of job is submitted, recorded, cancelled and retried.
//
// # Data flow
//
//	submit -> kube-apiserver -> record -> SQLite -> history.Chain
//	cancel -> annotations and suspension or deletion -> kube-apiserver -> record
//
// # Ownership
//
// One control plane serves all tests of the package, one after another.
//
// # Guarantees
//
// The definitions of custom types come from their operators (package crds). Pods of batch
// Jobs run on nodes of kwok.
//
// # Limits
//
// The operators of custom types do not run. If only an operator reports that a job is
// suspended or aborted, the test writes the status instead.
//
// # Errors
//
// A failed test shows the ends of the logs of the control plane.
package cancel
