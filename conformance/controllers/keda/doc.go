// Package keda tests the operator of KEDA on a real API server: with controller-runtime's
// cache, and with ours in the field NewCache of the manager's options.
//
// # Data flow
//
//	Deployment, ScaledObject -> API server -> cache -> operator -> HorizontalPodAutoscaler, scale
//
// # Ownership
//
// Both runs share a control plane. Each removes its objects.
//
// # Guarantees
//
// Deployments are activated, deactivated, held and restored as their ScaledObjects say, each
// autoscaler has what its ScaledObject has, and both runs have left the same objects. All
// informers of the manager are accelerated.
//
// # Limits
//
// KEDA 2.21.0 asks for controller-runtime 0.24. Here it gets the version of ours. Only
// triggers that need no other system are used. Without a garbage collector, the autoscaler
// of a deleted ScaledObject stays.
//
// # Errors
//
// A control plane that does not start fails the test with its logs.
package keda
