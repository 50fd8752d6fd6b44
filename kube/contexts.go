package kube

import (
	"maps"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
)

// Contexts returns the names of the contexts of the kubeconfig that cfg selects, sorted.
// It returns no names if there is no kubeconfig. Each context is a cluster to connect to.
// A program that follows several clusters calls Contexts again when the file has changed.
//
// Errors: errcode.Misconfigured for a file that cannot be read.
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
