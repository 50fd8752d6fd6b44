package kube

import (
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

// near returns the names of types that resemble name.
func near(types []Resource, name string) []string {
	name, _, _ = strings.Cut(name, ".")
	var known []nearest.Candidate
	for i := range types {
		if r := &types[i]; r.Can("watch") {
			known = append(known, nearest.Candidate{Text: r.String(), Names: []string{r.Name, r.Singular}})
		}
	}
	return nearest.Suggest(name, known)
}
