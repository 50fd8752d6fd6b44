package stream

import (
	"slices"

	"github.com/vedette-io/vedette/platform/feed"
)

// Selection selects events. An event must match all fields that are set.
type Selection struct {
	Clusters   []string // names or UIDs
	Types      []string // such as "jobs.batch"
	Namespaces []string
}

func (s *Selection) matches(o *feed.Object) bool {
	return (len(s.Clusters) == 0 || slices.Contains(s.Clusters, o.Cluster) || slices.Contains(s.Clusters, o.ClusterUID)) &&
		(len(s.Types) == 0 || slices.Contains(s.Types, o.Type.String())) &&
		(len(s.Namespaces) == 0 || slices.Contains(s.Namespaces, o.Namespace))
}
