package kube

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/nearest"
)

// Resolve finds the type for a name, as kubectl does: "pods", "pod", "po", "Pod",
// "jobs.batch", "jobs.v1.batch", "pytorchjobs.kubeflow.org". If several groups have the
// name, the core group comes first, followed by the order of the server. Among the
// versions, Resolve chooses the one that the server prefers. For an unknown name it
// runs discovery once more, so it finds a type that was created a second ago.
//
// If the name states the version of a type of k8s.io/api, or the type is in
// Config.Types, Resolve does not ask the server. If the server answers but discovery
// fails, Resolve can still return stable types of k8s.io/api.
//
// Errors: *UnknownResourceError, *DiscoveryError, errcode.Invalid for an invalid name;
// *RequestError.
func (c *Cluster) Resolve(ctx context.Context, name string) (Resource, error) {
	t, err := Named(name)
	if err != nil {
		return Resource{}, err
	}
	return c.resolve(ctx, t, 0)
}

// resolve finds the type for a target. If a discovery within the last tolerated did not
// find the type, resolve does not ask again.
func (c *Cluster) resolve(ctx context.Context, t Target, tolerated time.Duration) (Resource, error) {
	if r, ok, err := t.choose(c.configured); ok && err == nil {
		return r, nil
	}
	if r, ok := t.builtin(); ok {
		return r, nil
	}
	known, rounds := c.discovery.current()
	if known != nil {
		if r, ok, err := t.choose(known.types); ok && err == nil {
			return r, nil
		}
	}
	known, err := c.discovery.refresh(ctx, rounds, tolerated, c.discover)
	if err != nil {
		if r, ok := t.stable(); ok && errors.As(err, new(*DiscoveryError)) {
			return r, nil
		}
		return Resource{}, err
	}
	r, ok, err := t.choose(known.types)
	if err == nil && !ok {
		err = c.unknown(t, known)
	}
	return r, err
}

// unknown returns the error for a target that was not found.
func (c *Cluster) unknown(t Target, known *catalog) error {
	failed := &DiscoveryError{Host: c.Host(), Name: t.String()}
	for _, f := range known.failing {
		if t.within(f.GroupVersion) {
			failed.Failing = append(failed.Failing, f.GroupVersion)
			failed.Err = f.err
		}
	}
	if len(failed.Failing) > 0 {
		return failed
	}
	return &UnknownResourceError{Host: c.Host(), Name: t.String(), Near: near(known.types, t.String()), Asked: known.asked}
}

// Resources asks the server for the types that can be listed and watched, and returns
// them in the order in which Resolve prefers them. Types of a group that does not
// answer are taken from the previous discovery, or are missing if there was none.
//
// Errors: *DiscoveryError, *RequestError.
func (c *Cluster) Resources(ctx context.Context) ([]Resource, error) {
	_, rounds := c.discovery.current()
	known, err := c.discovery.refresh(ctx, rounds, 0, c.discover)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(known.types), func(r Resource) bool { return !r.Can("list") || !r.Can("watch") }), nil
}

// maxNear is the maximum number of suggestions in an UnknownResourceError.
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
		d := min(nearest.Distance(name, r.Name), nearest.Distance(name, r.Singular))
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
