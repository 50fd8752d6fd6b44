package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// notContext is the alternative to a context of a kubeconfig.
const notContext = "--cluster names a cluster of the portal"

var errNotCluster = errors.New("--cluster names a cluster of a portal: add --server, or choose the cluster with --context")

// onlyCluster returns an error if a flag is set that needs access to a cluster. instead has the
// remedy for each flag.
func onlyCluster(cmd *cobra.Command, instead map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not work with a portal: %s", name, instead[name])
		}
	}
	return nil
}
