// Package portalrights tests package portal/access against a real control plane.
//
// # Data flow
//
//	roles and bindings -> API server -> access.Access -> what a person sees and may do
//
// # Ownership
//
// Each test owns its control plane.
//
// # Guarantees
//
// The credentials of the portal have the rights of deploy/portal-rights.yaml, and no others.
//
// # Limits
//
// No controller manager runs. Times are those of an API server that has nothing else to do.
//
// # Errors
//
// A control plane that does not start fails the test with its logs.
package portalrights
