package record

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Type is a type of objects that was recorded.
type Type struct {
	Group, Resource string // "batch" and "jobs"
	Kind            string
}

// String returns "jobs.batch".
func (t Type) String() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// Singular returns "job.batch", as `kubectl get -o name` has it.
func (t Type) Singular() string {
	t.Resource = strings.ToLower(t.Kind)
	return t.String()
}

// Types returns all types of which something was recorded, in the order of their
// names.
func (d *Database) Types(ctx context.Context) (all []Type, err error) {
	rows, err := d.SQL().QueryContext(ctx, "SELECT api_group, name, kind FROM resources")
	if err != nil {
		return nil, err
	}
	err = each(rows, func() error {
		var t Type
		err := rows.Scan(&t.Group, &t.Resource, &t.Kind)
		all = append(all, t)
		return err
	})
	slices.SortFunc(all, func(x, y Type) int { return cmp.Or(cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Group, y.Group)) })
	return all, err
}

// shortNames are those that servers have for common types. A database does not know
// them.
var shortNames = map[string]string{
	"po": "pods", "deploy": "deployments", "rs": "replicasets", "sts": "statefulsets", "ds": "daemonsets", "cj": "cronjobs", "rc": "replicationcontrollers",
	"no": "nodes", "ns": "namespaces", "svc": "services", "cm": "configmaps", "ev": "events", "pvc": "persistentvolumeclaims", "pv": "persistentvolumes",
	"sa": "serviceaccounts", "ing": "ingresses", "hpa": "horizontalpodautoscalers", "pdb": "poddisruptionbudgets", "pc": "priorityclasses",
	"crd": "customresourcedefinitions", "quota": "resourcequotas", "wl": "workloads", "cq": "clusterqueues", "lq": "localqueues", "wf": "workflows",
	"vcjob": "jobs.batch.volcano.sh", "vj": "jobs.batch.volcano.sh", "pg": "podgroups",
}

// FindType returns the type that a word means: plural, singular, kind or short name,
// with its group or without; "jobs", "job.batch", "Job", "po", "jobs.v1.batch".
//
// Errors: several are meant, which it names; none is.
func FindType(all []Type, word string) (Type, error) {
	name, group, grouped := strings.Cut(strings.ToLower(word), ".")
	if long, ok := shortNames[name]; ok && !grouped {
		name, group, grouped = strings.Cut(long, ".")
	}
	var found []Type
	for _, t := range all {
		_, short, versioned := strings.Cut(group, ".")
		if name != t.Resource && name != strings.ToLower(t.Kind) {
			continue
		}
		if !grouped || group == t.Group || isVersion(group) && (versioned && short == t.Group || !versioned && t.Group == "") {
			found = append(found, t)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Type{}, fmt.Errorf("%q may mean %s: name one of them", word, listed(found, " or "))
	case len(all) == 0:
		return Type{}, fmt.Errorf("nothing is recorded of a type %q, nor of any other", word)
	}
	return Type{}, fmt.Errorf("nothing is recorded of a type %q; there are %s", word, listed(all, ", "))
}

// isVersion reports whether a group begins with a version: v1, v2beta1.
func isVersion(group string) bool {
	return len(group) > 1 && group[0] == 'v' && group[1] >= '0' && group[1] <= '9'
}

func listed(types []Type, between string) string {
	var all []string
	for _, t := range types {
		all = append(all, t.String())
	}
	return strings.Join(all, between)
}
