package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// Resolve finds the type that a name stands for, as kubectl does: "pods", "pod",
// "po", "Pod", "jobs.batch", "jobs.v1.batch", "pytorchjobs.kubeflow.org". Where
// several groups have the name, the core group comes first and then the order
// of the server; of the versions the one that the server prefers. A name that
// is not known is looked up once more with fresh discovery, so a type that was
// created a second ago is found.
//
// Errors: *UnknownResourceError; what discovery returned.
func (c *Cluster) Resolve(ctx context.Context, name string) (Resource, error) {
	t, err := Named(name)
	if err != nil {
		return Resource{}, err
	}
	return c.resolve(ctx, t)
}

// resolve finds the type that a target means. Where group, version and kind are those
// of a built-in type, it asks nothing.
func (c *Cluster) resolve(ctx context.Context, t Target) (Resource, error) {
	if r, ok := t.builtin(); ok {
		return r, nil
	}
	types, fresh, err := c.known(ctx)
	if err != nil {
		return Resource{}, err
	}
	r, ok, err := t.choose(types)
	if !ok && !fresh {
		if types, err = c.discover(ctx); err != nil {
			return Resource{}, err
		}
		r, ok, err = t.choose(types)
	}
	switch {
	case err != nil:
		return Resource{}, err
	case !ok:
		return Resource{}, &UnknownResourceError{Host: c.Host(), Name: t.String(), Near: near(types, t.String())}
	}
	return r, nil
}

// Resources returns the types that can be listed and watched, in the order in
// which Resolve prefers them.
//
// Errors: what discovery returned.
func (c *Cluster) Resources(ctx context.Context) ([]Resource, error) {
	types, err := c.discover(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(types), func(r Resource) bool { return !r.Can("list") || !r.Can("watch") }), nil
}

// Forget drops what discovery has told, so that the next Resolve asks the server:
// for who has found that a type is no longer served as it was.
func (c *Cluster) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.types = nil
}

// known returns the types that were discovered last; fresh says that it was now.
func (c *Cluster) known(ctx context.Context) (types []Resource, fresh bool, err error) {
	c.mu.Lock()
	types = c.types
	c.mu.Unlock()
	if types != nil {
		return types, false, nil
	}
	types, err = c.discover(ctx)
	return types, true, err
}

// discover asks the server. A group that does not answer, such as that of an
// aggregated server which is down, does not hide the others.
func (c *Cluster) discover(ctx context.Context) ([]Resource, error) {
	groups, lists, err := c.discovery.ServerGroupsAndResourcesWithContext(ctx)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("ask the server at %s which types it serves: %w", c.Host(), err)
	}
	if len(lists) == 0 && err != nil {
		return nil, fmt.Errorf("ask the server at %s which types it serves: %w", c.Host(), err)
	}
	types := tabulate(groups, lists)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.types = types
	return types, nil
}

// tabulate makes a flat table of what discovery returned, best choice first: the
// groups in the order of the server, in which the core group is the first.
func tabulate(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) []Resource {
	rank := map[schema.GroupVersion]int{}
	for g, group := range groups {
		for v, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			rank[gv] = g*1000 + v + 1
			if version.Version == group.PreferredVersion.Version {
				rank[gv] = g * 1000
			}
		}
	}
	types := []Resource{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") {
				types = append(types, resourceOf(gv, &r))
			}
		}
	}
	slices.SortStableFunc(types, func(a, b Resource) int {
		return cmp.Compare(rank[schema.GroupVersion{Group: a.Group, Version: a.Version}], rank[schema.GroupVersion{Group: b.Group, Version: b.Version}])
	})
	return types
}

func resourceOf(gv schema.GroupVersion, r *metav1.APIResource) Resource {
	res := Resource{
		Group: cmp.Or(r.Group, gv.Group), Version: cmp.Or(r.Version, gv.Version),
		Name: r.Name, Kind: r.Kind,
		Singular:   cmp.Or(r.SingularName, strings.ToLower(r.Kind)),
		ShortNames: r.ShortNames, Verbs: r.Verbs,
	}
	if r.Namespaced {
		res.Scope = Namespaced
	}
	return res
}

// maxNear is how many suggestions help rather than confuse.
const maxNear = 3

// near returns the names of types that resemble name.
func near(types []Resource, name string) []string {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for i := range types {
		r := &types[i]
		d := min(distance(name, r.Name), distance(name, r.Singular))
		if d > max(1, len(name)/3) || !r.Can("watch") {
			continue
		}
		if !slices.ContainsFunc(found, func(c candidate) bool { return c.name == r.String() }) {
			found = append(found, candidate{r.String(), d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, c := range found[:min(len(found), maxNear)] {
		names = append(names, c.name)
	}
	return names
}

// distance counts the letters to insert, drop, change or swap with their
// neighbour to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
