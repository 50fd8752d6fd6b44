// Package clusterapi tests the core controllers of Cluster API on a real API server: with
// controller-runtime's cache, and with ours in the field NewCache of the manager's options.
//
// # Data flow
//
//	Cluster, MachineDeployments -> API server -> cache -> Cluster API -> MachineSets, Machines
//	what the test provides for each Machine -> API server -> cache -> Cluster API -> status
//
// # Ownership
//
// Both runs share a control plane. Each removes its Cluster. The test plays the providers of
// bootstrap data and of infrastructure, whose types have no controllers here, and the
// API server is also that of the workload cluster.
//
// # Guarantees
//
// After a roll-out, and after MachineDeployments were scaled, rolled, relabelled and deleted,
// both runs have left the same objects. All informers of the manager are accelerated.
//
// # Limits
//
// Cluster API 1.14.0 asks for controller-runtime 0.24. Here it gets the version of ours.
// The cache of Nodes, which Cluster API makes for each workload cluster, has no hook.
//
// # Errors
//
// A control plane that does not start fails the test with its logs.
package clusterapi
