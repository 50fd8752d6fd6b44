// Package controlplane builds and runs a real Kubernetes control plane for tests and
// experiments: etcd, kube-apiserver, kube-controller-manager and kube-scheduler, with
// kwok in place of nodes, all from their Go modules.
//
// # Data flow
//
//	Build -> Binaries of a version of Kubernetes (in a cache outside the repository)
//	Start(Binaries, Options) -> Cluster: five processes on loopback ports, a kubeconfig
//
// # Versions
//
// VEDETTE_KUBERNETES=1.28.15 selects another version than DefaultVersion. etcd and kwok keep
// theirs. A test of a feature that older versions lack calls Needs.
//
// # Ownership
//
// A Cluster belongs to one goroutine. Its processes are children of the process that
// started it, and end with it, even if it is killed (unless Options.Lifetime is
// Detached).
//
// # Guarantees
//
// Start returns when the API server is ready, the nodes are Ready, and the controllers
// run: a Job that is created then runs to Complete. The servers listen on 127.0.0.1 only.
//
// # Limits
//
// A cold build takes about 15 minutes on two cores and 4 GiB of cache. A running cluster
// takes about 700 MB. Linux only: the processes use its signal on the death of a parent.
//
// # Errors
//
// Errors name the program and include the end of its log.
package controlplane
