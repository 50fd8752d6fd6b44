package main

import (
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/notify/config"
)

// withClusters adds clusters to the options of a file, for channels that write Events. The
// caller closes the clusters after the channels.
func withClusters(o config.Options, clusters []*connected) config.Options {
	o.Clusters = map[string]*kube.Cluster{}
	for _, c := range clusters {
		o.Clusters[c.name] = c.Cluster
	}
	return o
}

// clustersOf connects to the clusters of the file of --config, else to that of the current
// context, for a command that only notifies. It sends no request. Without a kubeconfig
// there are none, which only a channel that writes Events needs.
func clustersOf(s *settled) []*connected {
	all := s.file.clusters
	if len(all) == 0 {
		all = []clusterConfig{{}}
	}
	clusters, err := connect(all, "")
	if err != nil {
		return nil
	}
	return clusters
}
