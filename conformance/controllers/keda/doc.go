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
// Deployments are activated, deactivated, held and restored as their ScaledObjects specify,
// and each autoscaler matches its ScaledObject. The objects of both runs are the same. All
// informers of the manager are accelerated.
//
// # Limits
//
// KEDA 2.21.0 requires controller-runtime 0.24. The tests build it with our version of
// controller-runtime. They use only triggers that need no other system. Without a garbage
// collector, the autoscaler of a deleted ScaledObject remains.
//
// # Errors
//
// If the control plane does not start, the test fails with its logs.
package keda
