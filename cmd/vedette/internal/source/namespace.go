package source

import "github.com/vedette-io/vedette/kube"

// NamespaceOf returns the namespace of the flags, of the kubeconfig, or default.
func NamespaceOf(connect kube.Config) string {
	if connect.Namespace != "" {
		return connect.Namespace
	}
	cluster, err := kube.Connect(connect)
	if err != nil {
		return "default" // a history needs no kubeconfig
	}
	defer cluster.Close()
	return cluster.Namespace()
}
