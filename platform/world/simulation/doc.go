// Package simulation runs training jobs in an API server of package apitest. It writes the changes
// of a queue, the job controller, the kubelet and users in the steps in which the real ones write
// them.
//
// # Data flow
//
//	Users -> jobs in the server -> Platform -> pods, statuses and logs in the server
//
// # Ownership
//
// The caller owns the server and the cluster, and ends the simulation with the context.
//
// # Guarantees
//
// The seed of the users determines the end of each job; only the interleaving depends on the clock.
//
// # Limits
//
// Three jobs run at a time. Only jobs of batch/v1 run.
//
// # Errors
//
// The first error of the server ends the simulation.
package simulation
