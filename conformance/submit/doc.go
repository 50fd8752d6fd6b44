// Package submit tests package submit and `vedette submit` against a real control plane.
//
// # Data flow
//
//	submit.Client -> cutter (cuts connections before, during and after requests) -> API server
//	vedette submit, with bad input -> API server -> output for the user
//
// # Ownership
//
// Each test owns its control plane.
//
// # Guarantees
//
// The number of jobs is read from the server directly, not through the cutter. The tests
// compare complete outputs: any other word fails.
//
// # Limits
//
// No kubelet runs. A test simulates it for a pod that cannot start.
//
// # Errors
//
// If the control plane does not start, the test fails with its logs.
package submit
