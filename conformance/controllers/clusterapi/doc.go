// Package clusterapi tests the core controllers of Cluster API on a real API server: with
// controller-runtime's cache, and with ours in the field NewCache of the manager's options.
//
// # Data flow
//
//	Cluster, MachineDeployments -> API server -> cache -> Cluster API -> MachineSets, Machines
//	bootstrap data and Nodes from the test -> API server -> cache -> Cluster API -> status
//
// # Ownership
//
// Both runs share a control plane. Each removes its Cluster. The test replaces the providers
// of bootstrap data and of infrastructure, whose types have no controllers here. The API
// server also serves as the one of the workload cluster.
//
// # Guarantees
//
// After a rollout, and after MachineDeployments were scaled, rolled, relabeled and deleted,
// the objects of both runs are the same. All informers of the manager are accelerated.
//
// # Limits
//
// Cluster API 1.14.0 requires controller-runtime 0.24. The tests build it with our
// version of controller-runtime. The cache of Nodes, which Cluster API makes for each
// workload cluster, has no hook.
//
// # Errors
//
// If the control plane does not start, the test fails with its logs.
package clusterapi
