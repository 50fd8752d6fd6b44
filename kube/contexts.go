package kube

import (
	"maps"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
)

// Contexts returns the names of the contexts of the kubeconfig that cfg leads to,
// in order; none where there is no kubeconfig. Each is a cluster to connect to:
// who follows several looks again when the file has changed.
//
// Errors: *ConfigError for a file that can not be read.
func Contexts(cfg Config) ([]string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	rules.ExplicitPath = cfg.Kubeconfig
	raw, err := rules.Load()
	if err != nil {
		return nil, cfg.kubeconfigError(err)
	}
	return slices.Sorted(maps.Keys(raw.Contexts)), nil
}
