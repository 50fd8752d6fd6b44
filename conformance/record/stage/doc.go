// Package stage has what tests of recorders and notifiers share: a real control plane, a real
// database, the networks to them, processes of the program, load, faults, receivers of
// messages, and witnesses that know what happened.
//
// # Data flow
//
//	load, faults -> API server -> vedette record -> database -> vedette notify -> receivers
//	etcd -> witness
//	database, witness, API server -> Compare: contradictions and missing revisions
//
// # Ownership
//
// A Stage belongs to one test. It ends all its processes with the test.
//
// # Guarantees
//
// A witness watches etcd itself, from its first revision on, so it misses nothing.
//
// # Limits
//
// Linux only, as package controlplane.
//
// # Errors
//
// A failed test logs the ends of the logs of all processes.
package stage
