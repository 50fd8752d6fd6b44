package recordapi

import (
	"context"
	"errors"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// maxReviews limits the number of access reviews of one request. Further namespaces are
// not visible.
const maxReviews = 60

// place is a type in a namespace of a cluster.
type place struct {
	cluster   string
	typ       history.Type
	namespace string
}

// viewer decides what the person of one request may see.
type viewer struct {
	r        *reader
	ctx      context.Context
	sight    Sight
	reviewed map[place]bool
	reviews  int
}

// newViewer returns the viewer of a request. namespace is the namespace of the request; it may be
// empty.
func newViewer(ctx context.Context, r *reader, namespace string) (*viewer, error) {
	if namespace != "" {
		ctx = access.WithNamespaces(ctx, namespace)
	}
	s, err := r.Sight(ctx)
	if err != nil {
		return nil, err
	}
	return &viewer{r: r, ctx: ctx, sight: s, reviewed: map[place]bool{}}, nil
}

// isJob reports whether a type is a type of jobs, which the sight decides.
func isJob(t history.Type) bool { return job.IsJobType(t.String()) }

// sees reports whether the person may see the objects of a type in a namespace; the empty
// namespace means all.
//
// Errors: the access review failed.
func (v *viewer) sees(cluster string, t history.Type, namespace string) (bool, error) {
	if isJob(t) {
		return v.sight.All() || v.sight.SeesType(cluster, t.String(), namespace) && namespace != "", nil
	}
	if namespace != "" {
		if all, err := v.may(place{cluster, t, ""}); all || err != nil {
			return all, err
		}
	}
	return v.may(place{cluster, t, namespace})
}

// podType is the type of pods.
var podType = history.Type{Resource: "pods", Kind: "Pod"}

// withoutDetail removes the detail of a gap, which may name an object, if the person may not see all
// objects of its scope.
func (v *viewer) withoutDetail(g *history.Gap) error {
	yes, err := v.sees(g.Cluster, g.Type, g.Namespace)
	if err == nil && !yes {
		g.Detail = ""
	}
	return err
}

// withoutPods removes what the pods of a job show, if the person may not see them. The message of
// an open job may be that of a pod.
func (v *viewer) withoutPods(j *history.Job) error {
	yes, err := v.sees(j.Cluster, podType, j.Namespace)
	if err != nil || yes {
		return err
	}
	if j.Node = ""; j.Ended.IsZero() {
		j.Message = ""
	}
	return nil
}

// may checks the right to list a type.
func (v *viewer) may(at place) (bool, error) {
	if v.r.May == nil {
		return true, nil
	}
	if yes, ok := v.reviewed[at]; ok {
		return yes, nil
	}
	if v.reviews++; v.reviews > maxReviews {
		return false, nil
	}
	err := v.r.May(v.ctx, access.Right{Cluster: at.cluster, Verb: "list", Group: at.typ.Group, Resource: at.typ.Resource, Namespace: at.namespace})
	var p *api.Problem
	if err != nil && (!errors.As(err, &p) || p.Type == api.ProblemCluster) {
		return false, err
	}
	v.reviewed[at] = err == nil
	return err == nil, nil
}

// objectOf returns an object that the person may see.
//
// Errors: *api.Problem, the same for an object that does not exist or may not be seen.
func objectOf(ctx context.Context, r *reader, id int64) (history.Object, error) {
	found, err := r.history.ObjectsByID(ctx, []int64{id})
	if err != nil {
		return history.Object{}, err
	}
	if len(found) == 0 {
		if _, err := r.Sight(ctx); err != nil { // the rights of the caller are unknown
			return history.Object{}, err
		}
		return history.Object{}, unknownObject()
	}
	e, err := newViewer(ctx, r, found[0].Namespace)
	if err != nil {
		return history.Object{}, err
	}
	yes, err := e.sees(found[0].Cluster, found[0].Type, found[0].Namespace)
	switch {
	case err != nil:
		return history.Object{}, err
	case !yes:
		return history.Object{}, unknownObject()
	}
	return found[0], nil
}

func unknownObject() *api.Problem {
	return web.Unknown("This object does not exist, or you may not see it. Its history may have been removed.")
}

// placeOf returns the type, namespace and cluster of an object.
func placeOf(o *history.Object) place { return place{o.Cluster, o.Type, o.Namespace} }

// seen returns the items that the person may see.
func seen[T any](e *viewer, all []T, at func(*T) place) (out []T, err error) {
	for i := range all {
		p := at(&all[i])
		yes, err := e.sees(p.cluster, p.typ, p.namespace)
		if err != nil {
			return nil, err
		}
		if yes {
			out = append(out, all[i])
		}
	}
	return out, nil
}
