package main

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
)

// named returns the clusters that the command line names: all types in each context.
func (o *watchOptions) named(types string) (all []settings.ClusterConfig, err error) {
	for context := range strings.SplitSeq(o.connect.Context, ",") {
		c := settings.ClusterConfig{Name: context, Context: context, Kubeconfig: o.connect.Kubeconfig, At: "the command line"}
		for typ := range strings.SplitSeq(types, ",") {
			typ = strings.TrimSpace(typ)
			if typ == "" {
				return nil, fmt.Errorf("the types %q contain an empty name", types)
			}
			c.Resources = append(c.Resources, settings.ResourceConfig{Typ: typ, Own: !o.AllNamespaces, Labels: o.Labels, Fields: o.Fields})
		}
		for _, other := range all {
			if other.Context == context {
				return nil, fmt.Errorf("--context names %q twice", context)
			}
		}
		all = append(all, c)
	}
	return all, nil
}
