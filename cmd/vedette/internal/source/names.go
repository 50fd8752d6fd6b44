package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/history"
)

// FindTypes returns the types that words such as "jobs,pods" name. No words mean all types, as
// nil.
func (h *History) FindTypes(ctx context.Context, words string) ([]history.Type, error) {
	if words == "" {
		return nil, nil
	}
	all, err := h.Types(ctx)
	if err != nil {
		return nil, err
	}
	var types []history.Type
	for word := range strings.SplitSeq(words, ",") {
		t, err := history.FindType(all, strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		types = append(types, t)
	}
	return types, nil
}

// ObjectName parses TYPE/NAME, or TYPE NAME.
func ObjectName(args []string) (kind, name string, err error) {
	kind, name, found := strings.Cut(strings.Join(args, "/"), "/")
	if !found || kind == "" || name == "" || strings.Contains(name, "/") {
		return "", "", fmt.Errorf("%q does not name an object; use TYPE/NAME, such as jobs/train-7", strings.Join(args, " "))
	}
	return kind, name, nil
}

// OneCluster returns an error if objects belong to several clusters or namespaces.
func OneCluster(objects []history.Object) error {
	for _, obj := range objects {
		if obj.ClusterUID != objects[0].ClusterUID {
			return fmt.Errorf("clusters %s and %s both have such an object; use --cluster with the name or the UID (%s, %s)",
				objects[0].Cluster, obj.Cluster, objects[0].ClusterUID, obj.ClusterUID)
		}
		if obj.Namespace != objects[0].Namespace {
			return fmt.Errorf("namespaces %s and %s both have such an object; use -n", objects[0].Namespace, obj.Namespace)
		}
	}
	return nil
}

// NameOf returns the name of an object in the form of kubectl's output format name.
func NameOf(obj history.Object) string { return obj.Type.Singular() + "/" + obj.Name }
