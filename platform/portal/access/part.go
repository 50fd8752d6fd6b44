package access

// Part is what belongs to a job and what an API server protects by a right of its own. The
// right decides for recorded data as for live data.
type Part int

// The parts of a job.
const (
	// Pods are the pods with all that they show: states, nodes, causes and messages. A
	// termination message may be the end of a log.
	Pods Part = iota + 1
	// Events are the Kubernetes events about a job and its pods.
	Events
	// Logs are the lines of containers.
	Logs
)

// RightTo returns the right to a part of the jobs of a namespace; the empty namespace means all.
func RightTo(p Part, cluster, namespace string) Right {
	r := Right{Cluster: cluster, Verb: "list", Resource: "pods", Namespace: namespace}
	switch p {
	case Events:
		r.Resource = "events"
	case Logs:
		r.Verb, r.Subresource = "get", "log"
	}
	return r
}
