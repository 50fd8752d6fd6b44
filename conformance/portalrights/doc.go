// Package portalrights tests package platform/portal/access against a real control plane.
//
// # Data flow
//
//	roles and bindings -> API server -> access.Access -> the sight and the rights of a person
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
// No controller manager runs. Times are those of an API server without other load.
//
// # Errors
//
// If the control plane does not start, the test fails with its logs.
package portalrights
