// Package dropin tests that programs which change only their informer factory do what they
// did before: kube-scheduler and kube-controller-manager on a real control plane.
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
// Both runs begin with an empty control plane, and get the same requests. The outcome is
// read from the API server by client-go, without informers.
//
// # Limits
//
// Nodes and kubelets are pretended. The measurements hold for this machine and its load.
//
// # Errors
//
// A program that ends fails the test with the end of its log.
package dropin
