// Package stage is a control plane, a recorder and a portal for tests of the portal.
//
// # Data flow
//
//	control plane, simulated kubelet -> vedette record -> database -> vedette portal
//
// # Ownership
//
// A Stage belongs to one test, and ends its processes with the test.
//
// # Guarantees
//
// Tests wait for conditions, and never for a fixed time.
//
// # Limits
//
// Linux only, as package controlplane.
//
// # Errors
//
// A process that does not start fails the test with the end of its log.
package stage
