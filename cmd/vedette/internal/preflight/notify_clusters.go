package preflight

import (
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/config"
)

// WithClusters adds clusters to the options of a file, for channels that write Events. The
// caller closes the clusters after the channels.
func WithClusters(o config.Options, clusters []*Cluster) config.Options {
	o.Clusters = map[string]*kube.Cluster{}
	for _, c := range clusters {
		o.Clusters[c.Name] = c.Cluster
	}
	return o
}

// ClustersOf connects to the clusters of the file of --config, else to that of the current
// context, for a command that only notifies. It sends no request. Without a kubeconfig
// there are none, which only a channel that writes Events needs.
func ClustersOf(s *settings.Settings) []*Cluster {
	all := s.File.Clusters
	if len(all) == 0 {
		all = []settings.ClusterConfig{{}}
	}
	clusters, err := Connect(all, "")
	if err != nil {
		return nil
	}
	return clusters
}
