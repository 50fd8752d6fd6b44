// Package dropin tests that programs behave as before if only their informer factory
// changes: kube-scheduler and kube-controller-manager on a real control plane.
//
// # Data flow
//
//	conformance/kubernetes, built here -> two processes on client-go's factories, then on ours
//	workload -> API server -> the processes -> outcome of both, compared -> table
//
// # Ownership
//
// Each run owns its control plane and its processes.
//
// # Guarantees
//
// Both runs begin with an empty control plane, and get the same requests. client-go reads
// the outcome from the API server, without informers.
//
// # Limits
//
// Nodes and kubelets are simulated. The measurements hold for this machine and its load.
//
// # Errors
//
// If a program ends, the test fails with the end of its log.
package dropin
