package controlplane

// Options say what to start. The zero value is a whole control plane with five
// nodes in a temporary folder.
type Options struct {
	// Dir is the folder for data, certificates, logs and the kubeconfig;
	// default a temporary one that Stop removes.
	Dir string
	// Nodes is how many nodes kwok pretends; default 5, negative for none.
	Nodes int
	// Parts says how much of a control plane to start.
	Parts Parts
	// APIServer are flags of the API server, after ours.
	APIServer []string
	// KubeletPort is where the API server finds the kubelet of each node, on
	// 127.0.0.1: that of kubelet.Kubelet. Default none, so that no pod has a log.
	KubeletPort int
	// Lifetime says what happens when this process ends.
	Lifetime Lifetime
}

// Parts says how much of a control plane there is.
type Parts uint8

const (
	// Everything: objects are stored, and act.
	Everything Parts = iota
	// APIServerOnly: etcd and the API server; nothing acts on objects.
	APIServerOnly
	// WithoutControllers: etcd, the API server and kwok. The test brings its own
	// controllers and scheduler. Start does not wait for the nodes, which have a taint until
	// a controller removes it.
	WithoutControllers
)

// Lifetime says what happens to the processes when this one ends.
type Lifetime uint8

const (
	// WithParent: they die with it, however it ends.
	WithParent Lifetime = iota
	// Detached: they go on.
	Detached
)
