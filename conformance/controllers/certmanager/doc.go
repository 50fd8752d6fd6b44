// Package certmanager tests the cainjector of cert-manager on a real API server: with
// controller-runtime's cache, and with ours in the field NewCache of the manager's options.
//
// # Data flow
//
//	Secret, webhook configurations -> API server -> cache -> cainjector -> API server
//
// # Ownership
//
// Both runs share a control plane and nothing else.
//
// # Guarantees
//
// The certificate of the Secret is in each configuration that asks for it, also after it
// changes, and in no other.
//
// # Limits
//
// cert-manager 1.21.0 asks for controller-runtime 0.24. Here it gets the version of ours.
//
// # Errors
//
// A control plane that does not start fails the test with its logs.
package certmanager
