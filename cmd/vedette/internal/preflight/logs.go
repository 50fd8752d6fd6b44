package preflight

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/kube"
)

// podLogs is the resource of the right to read logs.
var podLogs = kube.Resource{Version: "v1", Name: "pods/log", Kind: "Pod", Scope: kube.Namespaced}

// logRight is the result of a check of the rights that kept logs need.
type logRight struct {
	found, remedy string
	lacking       bool // logs cannot be kept
	err           error
}

// logRights checks the rights that kept logs need in a cluster. No namespaces means all.
func logRights(ctx context.Context, c *kube.Cluster, types, namespaces []string) (all []logRight) {
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	pods := podLogs
	pods.Name = "pods"
	for _, namespace := range namespaces {
		where := " in all namespaces"
		if namespace != "" {
			where = " in " + namespace
		}
		lacking := 0
		for _, right := range []struct {
			verb string
			of   kube.Resource
		}{{"list", pods}, {"watch", pods}, {"get", podLogs}} {
			yes, why, err := c.Allowed(ctx, right.verb, right.of, namespace, "")
			if err == nil && yes {
				continue
			}
			lacking++
			if why != "" {
				why = " (" + why + ")"
			}
			all = append(all, logRight{
				found: fmt.Sprintf("may not %s %s%s%s", right.verb, right.of.Name, where, why), err: err, lacking: true,
				remedy: fmt.Sprintf("grant %s on %s in a Role or ClusterRole", right.verb, right.of.Name),
			})
		}
		if lacking == 0 {
			all = append(all, logRight{found: "may list and watch pods and get pods/log" + where})
		}
	}
	for _, word := range types {
		r, err := c.Resolve(ctx, word)
		if err != nil {
			all = append(all, logRight{found: explain.Line(err), remedy: "pods are recognized by the name of the kind until the type is served"})
			continue
		}
		if yes, _, err := c.Allowed(ctx, "get", r, "", ""); err == nil && !yes && r.Name != pods.Name {
			all = append(all, logRight{found: "may not get " + r.String() + " in all namespaces", remedy: "without this right, owners of these objects are not known"})
		}
	}
	return all
}
