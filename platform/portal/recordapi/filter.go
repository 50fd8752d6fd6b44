package recordapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// filterInput selects objects, or transitions of objects.
type filterInput struct {
	PageInput
	Cluster   string   `query:"cluster" maxLength:"253" doc:"The name or the UID of a cluster"`
	Namespace string   `query:"namespace" maxLength:"253" doc:"A namespace; by default all"`
	Type      []string `query:"type,explode" maxItems:"50" doc:"Any of these types, such as jobs.batch"`
	Queue     string   `query:"queue" maxLength:"253" doc:"A queue"`
	Submitter string   `query:"submitter" maxLength:"1024" doc:"A submitter"`
	OwnerKind string   `query:"ownerKind" maxLength:"253" doc:"The kind of the controller"`
	OwnerName string   `query:"ownerName" maxLength:"253" doc:"The name of the controller"`
	OwnerUID  string   `query:"ownerUID" maxLength:"63" doc:"The UID of the controller"`
	Label     []string `query:"label,explode" maxItems:"50" doc:"Label selectors as of kubectl, such as team=vision or !legacy; all must select an object"`
	State     []string `query:"state,explode" maxItems:"20" doc:"Any of these states"`
	Since     string   `query:"since" maxLength:"64" doc:"At this time or later, RFC 3339"`
	Until     string   `query:"until" maxLength:"64" doc:"Before this time, RFC 3339"`
	Open      bool     `query:"open" doc:"Gaps only: leave out those that were closed"`
}

// filterOf returns the filter of a request.
//
// Errors: *api.Problem.
func filterOf(ctx context.Context, r *reader, in *filterInput) (f history.Filter, err error) {
	f = history.Filter{
		Cluster: in.Cluster, Namespace: in.Namespace, Queue: in.Queue, Submitter: in.Submitter,
		Owner: history.Owner{Kind: in.OwnerKind, Name: in.OwnerName, UID: in.OwnerUID},
	}
	if (in.OwnerKind == "") != (in.OwnerName == "") {
		return f, web.Invalid("The owner is not complete.", api.FieldProblem{Field: "ownerName", Message: "needs ownerKind, and ownerKind needs a name"})
	}
	for _, text := range []struct {
		field, text string
		to          *time.Time
	}{{"since", in.Since, &f.Since}, {"until", in.Until, &f.Until}} {
		if text.text == "" {
			continue
		}
		if *text.to, err = time.Parse(time.RFC3339Nano, text.text); err != nil {
			return f, web.Invalid("The time cannot be read.", api.FieldProblem{Field: text.field, Message: "want RFC 3339"})
		}
	}
	if f.Labels, err = history.ParseLabels(strings.Join(in.Label, ",")); err != nil {
		return f, web.Invalid("The label selector cannot be read.", api.FieldProblem{Field: "label", Message: err.Error()})
	}
	if f.States, err = job.ParseStates(in.State); err != nil {
		return f, web.Invalid("The state is not known.", api.FieldProblem{Field: "state", Message: err.Error()})
	}
	f.Types, err = typesNamed(ctx, r, in.Type)
	return f, err
}

// typesNamed returns the types with some names, in the same order. Nil means all.
func typesNamed(ctx context.Context, r *reader, names []string) (found []history.Type, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	all, err := r.history.Types(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(t history.Type) bool { return t.String() == name })
		if i < 0 {
			return nil, web.Unknown("This type is not recorded, or you may not see it.")
		}
		found = append(found, all[i])
	}
	return found, nil
}
