// Package kubelet simulates the kubelets of the nodes that kwok simulates, so that a real
// API server can serve logs.
//
// # Data flow
//
//	client -> kube-apiserver -> HTTPS -> Kubelet -> apitest.Server, which has the logs
//	test -> Start, Write, Restart, End, Rotate, Remove, Inject
//
// The status of the nodes has the address of this kubelet: pass its Port to
// controlplane.Options.KubeletPort. One Kubelet serves all nodes.
//
// # Ownership
//
// All methods may be called from any goroutine. Close joins the goroutines.
//
// # Guarantees
//
// Parameters and errors are the same as a kubelet's: see apitest.Server.WriteLog.
//
// # Limits
//
// A Kubelet does not read the cluster: the test defines the containers with logs. It
// serves only logs, and requires no credentials. The API server does not verify its
// certificate, as by default.
//
// # Errors
//
// A request for a pod that the test did not start gets 404, as from a kubelet for pods of
// other nodes.
package kubelet
