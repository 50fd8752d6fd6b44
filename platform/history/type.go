package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/internal/nearest"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// Type is a type of objects. It has the fields Group ("batch"), Resource ("jobs") and Kind
// ("Job"). String returns "jobs.batch", and Singular "job.batch".
type Type = model.Type

// shortNames are the short names that API servers have for common types. The database does
// not store them.
var shortNames = map[string]string{
	"po": "pods", "deploy": "deployments", "rs": "replicasets", "sts": "statefulsets", "ds": "daemonsets", "cj": "cronjobs", "rc": "replicationcontrollers",
	"no": "nodes", "ns": "namespaces", "svc": "services", "cm": "configmaps", "ev": "events", "pvc": "persistentvolumeclaims", "pv": "persistentvolumes",
	"sa": "serviceaccounts", "ing": "ingresses", "hpa": "horizontalpodautoscalers", "pdb": "poddisruptionbudgets", "pc": "priorityclasses",
	"crd": "customresourcedefinitions", "quota": "resourcequotas", "wl": "workloads", "cq": "clusterqueues", "lq": "localqueues", "wf": "workflows",
	"vcjob": "jobs.batch.volcano.sh", "vj": "jobs.batch.volcano.sh", "pg": "podgroups",
}

// FindType returns the first type of FindTypes.
func FindType(all []Type, word string) (Type, error) {
	found, err := FindTypes(all, word)
	if err != nil {
		return Type{}, err
	}
	return found[0], nil
}

// FindTypes returns the types that a word names: by plural, singular, kind or short name,
// with or without its group. Examples are "jobs", "job.batch", "Job", "po" and
// "jobs.v1.batch". The order is that of kubectl, which takes the first type: the core group, the
// other groups of Kubernetes, and then the groups of others by name.
//
// Errors: no type matches. The error suggests types with similar names, or lists all.
func FindTypes(all []Type, word string) (found []Type, err error) {
	name, group, grouped := strings.Cut(strings.ToLower(word), ".")
	if long, ok := shortNames[name]; ok && !grouped {
		name, group, grouped = strings.Cut(long, ".")
	}
	for _, t := range all {
		if name != t.Resource && name != strings.ToLower(t.Kind) {
			continue
		}
		if !grouped || inGroup(t, group) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b Type) int {
		return cmp.Or(cmp.Compare(groupRank(a.Group), groupRank(b.Group)), strings.Compare(a.Group, b.Group))
	})
	switch {
	case len(found) > 0:
		return found, nil
	case len(all) == 0:
		return nil, fmt.Errorf("no type %q is recorded, and no other type", word)
	}
	if near := nearTypes(all, name); len(near) > 0 {
		return nil, fmt.Errorf("no type %q is recorded; did you mean %s?", word, strings.Join(near, " or "))
	}
	return nil, fmt.Errorf("no type %q is recorded; recorded types: %s", word, joinTypes(all))
}

// nearTypes returns the names of types that resemble name.
func nearTypes(all []Type, name string) []string {
	known := make([]nearest.Candidate, len(all))
	for i, t := range all {
		known[i] = nearest.Candidate{Text: t.String(), Names: []string{t.Resource, t.Kind}}
	}
	return nearest.Suggest(name, known)
}

// groupRank returns the rank of a group in the order of kubectl. Kubernetes reserves names
// without a dot and those that end in .k8s.io.
func groupRank(group string) int {
	switch {
	case group == "":
		return 0
	case !strings.Contains(group, "."):
		return 1
	case strings.HasSuffix(group, ".k8s.io"):
		return 2
	}
	return 3
}

// inGroup reports whether a type is in a group, optionally preceded by a version: "batch",
// "v1.batch", or "v1" for the core group.
func inGroup(t Type, group string) bool {
	if group == t.Group {
		return true
	}
	version, rest, _ := strings.Cut(group, ".")
	return isVersion(version) && rest == t.Group
}

// isVersion reports whether a word is a version of an API, such as v1 or v2beta1.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}

func joinTypes(types []Type) string {
	var all []string
	for _, t := range types {
		all = append(all, t.String())
	}
	return strings.Join(all, ", ")
}
