package controlplane

// Options select the programs and their settings. The zero value is a whole control plane
// with five nodes in a temporary folder.
type Options struct {
	// Dir is the folder for data, certificates, logs and the kubeconfig; default a
	// temporary folder that Stop removes.
	Dir string
	// Nodes is the number of nodes that kwok simulates; default 5, negative for none.
	Nodes int
	// Parts selects the programs of the control plane.
	Parts Parts
	// APIServer has more flags of the API server. They override ours.
	APIServer []string
	// KubeletPort is the port of each node's kubelet on 127.0.0.1, for example of a
	// kubelet.Kubelet. By default there is no kubelet, and no pod has a log.
	KubeletPort int
	// Kine is the path of the program of conformance/kine, which then replaces etcd: a server
	// with etcd's API on SQLite. It compacts its history each second, except for the last 100
	// revisions. Default etcd.
	Kine string
	// Lifetime selects when the processes end.
	Lifetime Lifetime
}

// Parts selects the programs of a control plane.
type Parts uint8

const (
	// Everything runs all programs.
	Everything Parts = iota
	// APIServerOnly runs etcd and the API server: objects change only by requests.
	APIServerOnly
	// WithoutControllers runs etcd, the API server and kwok. The test provides controllers
	// and a scheduler. Start does not wait for the nodes, which have a taint until a
	// controller removes it.
	WithoutControllers
)

// Lifetime selects when the processes end.
type Lifetime uint8

const (
	// WithParent ends the processes with this one, however it ends.
	WithParent Lifetime = iota
	// Detached keeps the processes running.
	Detached
)
