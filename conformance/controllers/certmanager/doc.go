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
// Each configuration that requests the certificate of the Secret gets it, also after a
// change; no other configuration gets it.
//
// # Limits
//
// cert-manager 1.21.0 requires controller-runtime 0.24. The tests build it with our
// version of controller-runtime.
//
// # Errors
//
// If the control plane does not start, the test fails with its logs.
package certmanager
