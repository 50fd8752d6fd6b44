// Package controlplane builds and runs a real Kubernetes control plane for tests
// and trials: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and
// kwok in the place of nodes, all from their Go modules.
//
// # Data flow
//
//	Build -> Binaries (in a cache outside the repository)
//	Start(Binaries, Options) -> Cluster: five processes on loopback ports, a kubeconfig
//
// # Ownership
//
// A Cluster belongs to one goroutine. Its processes are children of the one that
// started it, and die with it, even if it is killed (but for Options.Detach).
//
// # Guarantees
//
// Start returns when the API server is ready, the nodes are there and Ready, and
// the controllers run: a Job that is created then runs to Complete. The servers
// listen on 127.0.0.1 only.
//
// # Limits
//
// A cold build takes about 15 minutes on two cores and 4 GiB of cache. A running
// cluster takes about 700 MB. Linux only: the death of the parent is noticed
// with its help.
//
// # Errors
//
// Errors name the program and show the end of its log.
package controlplane
