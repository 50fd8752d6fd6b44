package recordapi

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/records"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// statistics answers with the statistics of objects, if the person may see all of them.
func statistics(r *reader, ctx context.Context, in *filterInput) (*api.RecordStats, error) {
	e, err := newViewer(ctx, r, in.Namespace)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(ctx, r, in)
	if err != nil {
		return nil, err
	}
	if err = narrow(ctx, r, e, &f); err != nil {
		return nil, err
	}
	done, err := r.counts.Take(ctx, identity.Of(ctx).ID())
	if err != nil {
		return nil, err
	}
	defer done()
	all, err := r.history.Stats(ctx, f, r.Now(), func(int) {})
	if err != nil {
		return nil, mapped(err)
	}
	return &api.RecordStats{Types: each(all, records.OfStats)}, nil
}

// narrow restricts a filter to one cluster, and to types of which the person may see all
// matching objects, in the namespace as it exists now. It does not change the filter of a person who
// sees everything.
//
// Errors: *api.Problem if the filter selects objects that the person may not see.
func narrow(ctx context.Context, r *reader, e *viewer, f *history.Filter) error {
	if r.May == nil || e.sight.All() && f.Types != nil && !slices.ContainsFunc(f.Types, func(t history.Type) bool { return !isJob(t) }) {
		return nil
	}
	types := f.Types
	if types == nil {
		all, err := r.history.Types(ctx)
		if err != nil {
			return err
		}
		types = all
	}
	activity, err := r.history.Activity(ctx, 0)
	if err != nil {
		return err
	}
	clusters := map[string]string{} // names by UID
	for _, c := range activity.Coverage {
		if f.Cluster == "" || f.Cluster == c.Cluster || f.Cluster == c.ClusterUID {
			clusters[c.ClusterUID] = c.Cluster
		}
	}
	if len(clusters) != 1 {
		return web.Denied("You do not see everything, so statistics need one cluster. Name it.", "")
	}
	at := place{namespace: f.Namespace}
	for at.clusterUID, at.cluster = range clusters {
	}
	f.Cluster = at.clusterUID
	seen := []history.Type{}
	for _, t := range types {
		at.typ = t
		of, err := e.sees(at)
		switch {
		case err != nil:
			return err
		case of.some:
			seen = append(seen, t)
			if of.since.After(f.Created) { // all types are in one namespace, so the time is the same
				f.Created = of.since
			}
		case f.Types != nil:
			return web.Denied("You may not see all of these "+t.Resource+". Name a namespace that you may see.", "")
		}
	}
	if f.Types = seen; len(seen) == 0 {
		return web.Denied("You may not see all objects of any type. Name a namespace that you may see.", "")
	}
	return nil
}
