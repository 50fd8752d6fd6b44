package informer

import (
	"sync/atomic"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector/clusterid"
)

// spec says which clusters and namespaces an engine follows. No namespaces means all.
type spec struct {
	clusters   map[string]*clusterState
	namespaces []string
}

// clusterState is a cluster from its addition until its removal. A cluster that is
// removed and added again gets a new clusterState, because its objects are dropped in
// between.
type clusterState struct {
	name     string
	cluster  *kube.Cluster // nil if the informer was made by New
	identity *clusterid.Identity
	// unordered is set once the server turns out not to order its versions. From then
	// on no watch resumes at a version that another watch has reached.
	unordered atomic.Bool
}
