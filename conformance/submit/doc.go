// Package submit tests package submit and `vedette submit` against a real control plane.
//
// # Data flow
//
//	submit.Client -> cutter (cuts connections before, during and after requests) -> API server
//	vedette submit, with bad input -> API server -> what the user reads
//
// # Ownership
//
// Each test owns its control plane.
//
// # Guarantees
//
// The number of jobs is read from the server directly, not through the cutter. The texts are
// whole: a test fails if a user would read another word.
//
// # Limits
//
// No kubelet runs. A test plays its part where a pod cannot start.
//
// # Errors
//
// A control plane that does not start fails the test with its logs.
package submit
