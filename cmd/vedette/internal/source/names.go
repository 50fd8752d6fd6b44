package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/submit"
)

// FindTypes returns the types that words such as "jobs,pods" name. No words mean all types, as
// nil.
func (h *History) FindTypes(ctx context.Context, words string) ([]history.Type, error) {
	named, err := SplitTypes(words)
	if err != nil || named == nil {
		return nil, err
	}
	all, err := h.Types(ctx)
	if err != nil {
		return nil, err
	}
	var types []history.Type
	for _, word := range named {
		t, err := history.FindType(all, word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types, nil
}

// SplitTypes splits words such as "jobs,pods". No words are nil.
func SplitTypes(words string) (all []string, err error) {
	if words == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(words, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return nil, fmt.Errorf("%q has a comma without a type; separate types with one comma, such as jobs,pods", words)
		}
		all = append(all, word)
	}
	return all, nil
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

// JobName is NameOf for a row of a list of jobs.
func JobName(j *history.Job) string {
	_, group, _ := strings.Cut(j.Type, ".")
	return history.Type{Group: group, Kind: j.Kind}.Singular() + "/" + j.Name
}

// NameOfJob is NameOf for a job of a cluster.
func NameOfJob(j submit.Job) string {
	return history.Type{Group: j.Resource.Group, Kind: cmp.Or(j.Resource.Singular, j.Resource.Name)}.Singular() + "/" + j.Name
}
