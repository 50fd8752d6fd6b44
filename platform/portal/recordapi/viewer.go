package recordapi

import (
	"context"
	"errors"
	"time"

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
	cluster, clusterUID string
	typ                 history.Type
	namespace           string
}

// record is a place, and the time at which the object of a record was created.
type record struct {
	place
	created time.Time
}

// verdict is what a person may see in a place: the objects created from a time on, or nothing.
type verdict struct {
	some  bool
	since time.Time
}

// covers reports whether an object that was created at a time may be seen.
func (v verdict) covers(created time.Time) bool { return v.some && !created.Before(v.since) }

// viewer decides what the person of one request may see.
type viewer struct {
	r        *reader
	ctx      context.Context
	sight    Sight
	reviewed map[place]verdict
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
	return &viewer{r: r, ctx: ctx, sight: s, reviewed: map[place]verdict{}}, nil
}

// isJob reports whether a type is a type of jobs, which the sight decides.
func isJob(t history.Type) bool { return job.IsJobType(t.String()) }

// sees returns what the person may see of the objects of a place; the empty namespace means all.
//
// Errors: the access review failed.
func (v *viewer) sees(at place) (verdict, error) {
	if isJob(at.typ) {
		if v.sight.All() {
			return verdict{some: true}, nil
		}
		since, some := v.sight.Since(at.cluster, at.clusterUID, at.typ.String(), at.namespace)
		return verdict{some && at.namespace != "", since}, nil
	}
	if at.namespace != "" {
		all := at
		all.namespace = ""
		if all, err := v.may(all); all.some || err != nil {
			return all, err
		}
	}
	return v.may(at)
}

// seesOne reports whether the person may see the object of a record.
//
// Errors: those of sees.
func (v *viewer) seesOne(r record) (bool, error) {
	of, err := v.sees(r.place)
	return of.covers(r.created), err
}

// podType is the type of pods.
var podType = history.Type{Resource: "pods", Kind: "Pod"}

// withoutDetail removes the detail of a gap, which may name an object, if the person may not see all
// objects of its scope that existed when it began.
func (v *viewer) withoutDetail(g *history.Gap) error {
	yes, err := v.seesOne(record{place{g.Cluster, g.ClusterUID, g.Type, g.Namespace}, g.Began})
	if err == nil && !yes {
		g.Detail = ""
	}
	return err
}

// withoutPods removes what the pods of a job show, if the person may not see them. The message of
// an open job may be that of a pod.
func (v *viewer) withoutPods(j *history.Job) error {
	yes, err := v.seesOne(record{place{j.Cluster, j.ClusterUID, podType, j.Namespace}, j.Submitted})
	if err != nil || yes {
		return err
	}
	if j.Node = ""; j.Ended.IsZero() {
		j.Message = ""
	}
	return nil
}

// may checks the right to list a type, and then since when its namespace exists.
func (v *viewer) may(at place) (of verdict, err error) {
	if v.r.May == nil {
		return verdict{some: true}, nil
	}
	if yes, ok := v.reviewed[at]; ok {
		return yes, nil
	}
	if v.reviews++; v.reviews > maxReviews {
		return verdict{}, nil
	}
	err = v.r.May(v.ctx, access.Right{Cluster: at.cluster, Verb: "list", Group: at.typ.Group, Resource: at.typ.Resource, Namespace: at.namespace})
	var p *api.Problem
	if err != nil && (!errors.As(err, &p) || p.Type == api.ProblemCluster) {
		return verdict{}, err
	}
	of.some = err == nil
	if of.some && v.r.Since != nil {
		if of.since, of.some, err = v.r.Since(v.ctx, at.cluster, at.clusterUID, at.namespace); err != nil {
			return verdict{}, err
		}
	}
	v.reviewed[at] = of
	return of, nil
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
	yes, err := e.seesOne(recordOf(&found[0]))
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

// recordOf returns the record of an object.
func recordOf(o *history.Object) record {
	return record{place{o.Cluster, o.ClusterUID, o.Type, o.Namespace}, o.Created}
}

// seen returns the items that the person may see.
func seen[T any](e *viewer, all []T, of func(*T) record) (out []T, err error) {
	for i := range all {
		yes, err := e.seesOne(of(&all[i]))
		if err != nil {
			return nil, err
		}
		if yes {
			out = append(out, all[i])
		}
	}
	return out, nil
}
