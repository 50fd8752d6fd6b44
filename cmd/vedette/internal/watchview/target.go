package watchview

import (
	"context"

	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/kube"
)

// Selection select the objects to watch.
type Selection struct {
	AllNamespaces bool
	Labels        string // label selector
	Fields        string // field selector
}

// Target is one type to watch.
type Target struct {
	Resource  kube.Resource
	Selection kube.Selection
}

// Targets resolves the types that the user named.
func (o *Selection) Targets(ctx context.Context, cluster *kube.Cluster, types string) ([]Target, error) {
	ctx, cancel := timeout.AnswerWithin(ctx, cluster.Host(), timeout.FirstAnswer)
	defer cancel()
	var targets []Target
	seen := map[string]bool{}
	names, err := source.SplitTypes(types)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		res, err := cluster.Resolve(ctx, name)
		if err != nil {
			return nil, timeout.Cause(ctx, err)
		}
		if seen[res.String()] {
			continue
		}
		seen[res.String()] = true
		selection := kube.Selection{LabelSelector: o.Labels, FieldSelector: o.Fields}
		if res.Scope == kube.Namespaced && !o.AllNamespaces {
			selection.Namespace = cluster.Namespace()
		}
		// A wrong selection must be reported before anything starts.
		if _, err := cluster.Collection(res, selection); err != nil {
			return nil, err
		}
		targets = append(targets, Target{res, selection})
	}
	return targets, nil
}
