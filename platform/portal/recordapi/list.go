package recordapi

import (
	"cmp"
	"context"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/records"
)

// Limits of the records that one request reads for a person who sees few of them.
const (
	defaultLimit = 100
	readAtOnce   = 500
	maxRead      = 10_000
)

// none is the input of operations without parameters.
type none struct{}

// types answers with the recorded types. Their names are not secret: each API server returns
// them to everybody who may connect.
func types(r *reader, ctx context.Context, _ *none) (*api.RecordTypes, error) {
	if _, err := r.Sight(ctx); err != nil {
		return nil, err
	}
	all, err := r.history.Types(ctx)
	if err != nil {
		return nil, err
	}
	return &api.RecordTypes{Types: each(all, func(t *history.Type) api.RecordType { return records.OfType(*t) })}, nil
}

// namedInput identifies objects by name.
type namedInput struct {
	PageInput
	Cluster   string `query:"cluster" maxLength:"253" doc:"The name or the UID of a cluster"`
	Namespace string `query:"namespace" maxLength:"253" doc:"The namespace; empty for objects without one"`
	All       bool   `query:"all" doc:"In all namespaces"`
	Type      string `query:"type" required:"true" maxLength:"253" doc:"The type, such as jobs.batch"`
	Name      string `query:"name" required:"true" minLength:"1" maxLength:"253" doc:"The name"`
}

func named(r *reader, ctx context.Context, in *namedInput) (*api.RecordList, error) {
	e, err := newViewer(ctx, r, in.Namespace)
	if err != nil {
		return nil, err
	}
	found, err := typesNamed(ctx, r, []string{in.Type})
	if err != nil {
		return nil, err
	}
	n := history.ObjectName{Type: found[0], Namespace: in.Namespace, AllNamespaces: in.All, Name: in.Name, Cluster: in.Cluster}
	page, err := visible(ctx, e, in.paging(), recordOf, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return r.history.Objects(ctx, n, p)
	})
	if err != nil {
		return nil, err
	}
	return &api.RecordList{Records: each(page.Items, records.OfObject), Next: string(page.Next)}, nil
}

func changes(r *reader, ctx context.Context, in *filterInput) (*api.RecordChangeList, error) {
	e, err := newViewer(ctx, r, in.Namespace)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(ctx, r, in)
	if err != nil {
		return nil, err
	}
	page, err := visible(ctx, e, in.paging(), func(c *history.Change) record { return recordOf(&c.Object) }, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return r.history.ListTransitions(ctx, f, p)
	})
	if err != nil {
		return nil, err
	}
	return &api.RecordChangeList{Next: string(page.Next), Changes: each(page.Items, func(c *history.Change) api.RecordChange {
		return api.RecordChange{Record: records.OfObject(&c.Object), Transition: records.OfTransition(&c.Transition)}
	})}, nil
}

func jobs(r *reader, ctx context.Context, in *filterInput) (*api.RecordJobList, error) {
	e, err := newViewer(ctx, r, in.Namespace)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(ctx, r, in)
	if err != nil {
		return nil, err
	}
	types := map[string]history.Type{}
	all, err := r.history.Types(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		types[t.String()] = t
	}
	now := r.Now()
	out := &api.RecordJobList{}
	page, err := visible(ctx, e, in.paging(), func(j *history.Job) record {
		return record{place{j.Cluster, j.ClusterUID, types[j.Type], j.Namespace}, j.Submitted}
	}, func(ctx context.Context, p history.Paging) (history.Page[history.Job], error) {
		page, err := r.history.ListJobs(ctx, f, p, now)
		if e.sight.All() && out.Open == nil && page.Open != nil {
			out.Open = map[string]int{}
			for s, n := range page.Open {
				out.Open[string(s)] = n
			}
		}
		return page.Page, err
	})
	if err != nil {
		return nil, err
	}
	for i := range page.Items {
		if err := e.withoutPods(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	out.Jobs, out.Next = each(page.Items, records.OfJob), string(page.Next)
	return out, nil
}

// gaps answers with gaps of namespaces that the person may see, unless they ended before the
// namespace was created. A gap of all namespaces is shown to a person who may see the requested
// namespace.
func gaps(r *reader, ctx context.Context, in *filterInput) (*api.RecordGapList, error) {
	e, err := newViewer(ctx, r, in.Namespace)
	if err != nil {
		return nil, err
	}
	f, err := filterOf(ctx, r, in)
	if err != nil {
		return nil, err
	}
	g := history.GapFilter{Cluster: f.Cluster, Types: f.Types, Namespace: f.Namespace, Open: in.Open, Since: f.Since, Until: f.Until}
	now := r.Now()
	page, err := visible(ctx, e, in.paging(), func(g *history.Gap) record {
		until := g.Ended
		if until.IsZero() {
			until = now
		}
		return record{place{g.Cluster, g.ClusterUID, g.Type, cmp.Or(g.Namespace, in.Namespace)}, until}
	}, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return r.history.ListGaps(ctx, g, p)
	})
	if err != nil {
		return nil, err
	}
	for i := range page.Items {
		if err := e.withoutDetail(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	return &api.RecordGapList{Gaps: each(page.Items, records.OfGap), Next: string(page.Next)}, nil
}

// visible returns a page of the visible items. It has a cursor only if more visible items follow,
// because a cursor for hidden items would reveal that they exist. After maxRead records it stops
// reading, and has a cursor.
func visible[T any](ctx context.Context, e *viewer, p history.Paging, of func(*T) record, list func(context.Context, history.Paging) (history.Page[T], error)) (page history.Page[T], err error) {
	if e.sight.All() {
		if page, err = list(ctx, p); err != nil {
			return page, mapped(err)
		}
		page.Items, err = seen(e, page.Items, of)
		return page, err
	}
	want := cmp.Or(p.Limit, defaultLimit)
	var found []T
	last := p // ends with the last item of the page
	p.Limit = want + 1
	for read := 0; read < maxRead; read += p.Limit {
		raw, err := list(ctx, p)
		if err != nil {
			return page, mapped(err)
		}
		for i := range raw.Items {
			some, err := seen(e, raw.Items[i:i+1], of)
			switch {
			case err != nil:
				return page, err
			case len(some) == 0:
				continue
			case len(found) == want:
				cut, err := list(ctx, last)
				return history.Page[T]{Items: found, Next: cut.Next}, mapped(err)
			}
			found = append(found, some...)
			last = p
			last.Limit = i + 1
		}
		if page.Next = raw.Next; raw.Next == "" {
			break
		}
		p.After, p.Limit = raw.Next, readAtOnce
	}
	page.Items = found
	return page, nil
}
