package recordapi

import (
	"context"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/records"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/wire"
)

// objectPage selects a page of a list of an object.
type objectPage struct {
	IDInput
	PageInput
}

func transitions(r *reader, ctx context.Context, in *objectPage) (*api.TransitionList, error) {
	obj, err := objectOf(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	page, err := r.history.Transitions(ctx, obj.ID, in.paging())
	if err != nil {
		return nil, mapped(err)
	}
	return &api.TransitionList{Transitions: each(page.Items, records.OfTransition), Next: string(page.Next)}, nil
}

func revisions(r *reader, ctx context.Context, in *objectPage) (*api.RevisionList, error) {
	obj, err := objectOf(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	page, err := r.history.Revisions(ctx, obj.ID, in.paging())
	if err != nil {
		return nil, mapped(err)
	}
	return &api.RevisionList{Revisions: each(page.Items, records.OfRevision), Next: string(page.Next)}, nil
}

// bodyInput names a revision.
type bodyInput struct {
	IDInput
	Version string `path:"version" maxLength:"20" doc:"The version of the revision, or last"`
}

func body(r *reader, ctx context.Context, in *bodyInput) (*api.RecordBody, error) {
	obj, err := objectOf(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	version := wire.Version(0)
	if in.Version != "last" {
		if version, err = wire.ParseVersion(in.Version); err != nil || version == 0 {
			return nil, web.Invalid("The version cannot be read.", api.FieldProblem{Field: "version", Message: "want the version of a revision, or last"})
		}
	}
	text, at, err := r.history.Body(ctx, obj.ID, version)
	if err != nil {
		return nil, mapped(err)
	}
	text, err = jobview.JSON(text)
	if err != nil {
		return nil, mapped(err)
	}
	return &api.RecordBody{Version: at.String(), JSON: string(text)}, nil
}

func newJob(r *reader, ctx context.Context, in *IDInput) (*api.RecordJob, error) {
	obj, err := objectOf(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	j, err := r.history.Job(ctx, obj.ID, r.Now())
	if err != nil {
		return nil, mapped(err)
	}
	e, err := newViewer(ctx, r, obj.Namespace)
	if err != nil {
		return nil, err
	}
	if err := e.withoutPods(&j); err != nil {
		return nil, err
	}
	out := records.OfJob(&j)
	return &out, nil
}

// attempts answers with the attempts of a chain that the person may see.
func attempts(r *reader, ctx context.Context, in *IDInput) (*api.RecordAttempts, error) {
	obj, err := objectOf(ctx, r, in.ID)
	if err != nil {
		return nil, err
	}
	e, err := newViewer(ctx, r, obj.Namespace)
	if err != nil {
		return nil, err
	}
	chain, err := r.history.Chain(ctx, obj.ClusterUID, obj.Type, obj.UID)
	if err != nil {
		return nil, mapped(err)
	}
	chain, err = seen(e, chain, func(a *history.Attempt) record { return recordOf(&a.Object) })
	if err != nil {
		return nil, err
	}
	return &api.RecordAttempts{Attempts: each(chain, records.OfAttempt)}, nil
}
