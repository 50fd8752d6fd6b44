// Package kubelet stands in for the kubelets of the nodes that kwok pretends, so that a
// real API server has logs to serve.
//
// # Data flow
//
//	client -> kube-apiserver -> HTTPS -> Kubelet -> apitest.Server, which holds the logs
//	test -> Start, Write, Restart, End, Rotate, Remove, Inject
//
// The address of the stand-in is in the status of the nodes: pass its Port to
// controlplane.Options.KubeletPort. One stand-in serves all nodes.
//
// # Ownership
//
// All methods may be called from any goroutine. Close joins the goroutines.
//
// # Guarantees
//
// Parameters and errors are those of a kubelet: see apitest.Server.WriteLog.
//
// # Limits
//
// The stand-in does not look at the cluster: a test says which containers have logs. It
// serves nothing but logs, and asks for no credentials. The API server does not verify
// its certificate, as by default.
//
// # Errors
//
// Pods that the test did not start are answered with 404, as a kubelet does for pods of
// other nodes.
package kubelet
