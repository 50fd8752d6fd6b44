package writeapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"

	"github.com/vedette-io/vedette/platform/submit"
)

type stopInput struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	UID     string `path:"uid" maxLength:"253" doc:"The UID of the job"`
	Body    api.StopRequest
}

type retryInput struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	UID     string `path:"uid" maxLength:"253" doc:"The UID of the job"`
	Body    api.RetryRequest
}

// holdsGPUs reports whether a job may hold GPUs: it has started, and it requests GPUs, or
// its requests are unknown.
func holdsGPUs(row *jobindex.Row) bool {
	switch row.State {
	case job.Starting, job.Running, job.Restarting:
		return row.GPUs != 0
	}
	return false
}

// live returns the current job from the API server. A job of the same name with another
// UID is another job.
//
// Errors: *submit.UnknownJobError; those of submit.Client.Find.
func live(ctx context.Context, client *submit.Client, row *jobindex.Row) (submit.Job, error) {
	job, err := client.Find(ctx, row.Type+"/"+row.Name, row.Namespace)
	if err == nil && job.UID != row.UID {
		err = &submit.UnknownJobError{Name: row.Type + "/" + row.Name, Namespace: row.Namespace}
	}
	return job, err
}

// stop cancels a job in the name of the person.
func stop(ctx context.Context, w *writer, in *stopInput) (*api.Act, error) {
	row, err := w.row(ctx, in.Cluster, in.UID)
	if err != nil {
		return nil, err
	}
	if holdsGPUs(&row) && in.Body.Confirm != row.Name {
		return nil, web.Invalid("The job holds GPUs. Confirm with its name.", api.FieldProblem{Field: "confirm", Message: "is not the name of the job"})
	}
	options := submit.CancelOptions{Reason: in.Body.Reason, Actor: identity.Of(ctx).Name, DryRun: in.Body.DryRun}
	var known bool
	if options.How, known = hows[in.Body.How]; !known {
		return nil, web.Invalid("A job cannot be stopped in that way.", api.FieldProblem{Field: "how", Message: "is neither delete nor suspend"})
	}
	out := &api.Act{Count: 1}
	do := func() (string, error) {
		client, err := w.client(ctx, row.Cluster)
		if err != nil {
			return "", err
		}
		j, err := live(ctx, client, &row)
		if err != nil {
			return "", err
		}
		done, err := client.Cancel(ctx, j, options)
		if err != nil {
			return "", err
		}
		out.Done, out.How = stopped(&row, done), done.How
		if out.Before = done.Before; done.Before {
			out.By, out.Why, out.At = done.Actor, done.Reason, done.At.UTC()
		} else if done.How == job.CancelSuspend {
			out.Undo = pathOf(api.PathHold, &row)
		}
		return done.How, nil
	}
	if in.Body.DryRun {
		_, err := do()
		out.Undo = ""
		out.Done = "It was a dry run. " + row.Name + " continues."
		return out, err
	}
	return out, w.audited(ctx, api.AuditEntry{Act: "stop", Object: nameOf(&row), Job: ref(&row), Detail: in.Body.Reason}, do)
}

// hows are the ways to stop a job, by the terms of the API.
var hows = map[string]submit.How{"": submit.AsTypeDemands, job.CancelDelete: submit.Deleting, job.CancelSuspend: submit.Suspending}

// release ends the hold of a job in the name of the person.
func release(ctx context.Context, w *writer, in *jobInput) (*api.Act, error) {
	row, err := w.row(ctx, in.Cluster, in.UID)
	if err != nil {
		return nil, err
	}
	out := &api.Act{}
	err = w.audited(ctx, api.AuditEntry{Act: "release", Object: nameOf(&row), Job: ref(&row)}, func() (string, error) {
		if err := w.changes(ctx, &row); err != nil {
			return "", err
		}
		client, err := w.client(ctx, row.Cluster)
		if err != nil {
			return "", err
		}
		job, err := live(ctx, client, &row)
		if err != nil {
			return "", err
		}
		let, err := client.Release(ctx, job)
		if err != nil {
			return "", err
		}
		if !let {
			out.Done = row.Name + " is not held."
			return "not held", nil
		}
		out.Count, out.Done = 1, row.Name+" was released."
		return "", nil
	})
	return out, err
}

// doing are the texts for the ways of a cancellation.
var doing = map[string]string{job.CancelDelete: "was deleted; its history stays", job.CancelSuspend: "was suspended", job.CancelCommand: "got the command to stop"}

// stopped describes the result for a job.
func stopped(row *jobindex.Row, done submit.Cancelled) string {
	switch {
	case done.Before && done.Actor == "":
		return row.Name + " is being deleted already."
	case done.Before:
		return fmt.Sprintf("%s was stopped already, by %s.", row.Name, done.Actor)
	}
	return row.Name + " " + doing[done.How] + "."
}

// retry submits a copy of a job in the name of the person. A deleted job is copied from the
// history.
func retry(ctx context.Context, w *writer, in *retryInput) (*api.Submitted, error) {
	row, err := w.row(ctx, in.Cluster, in.UID)
	if err != nil {
		return nil, err
	}
	out := &api.Submitted{}
	do := func() (string, error) {
		r := right("create", &row)
		r.Name, r.Also = "", []string{"get", "list"}
		if err := w.cfg.Access.May(ctx, r); err != nil {
			return "", err
		}
		client, err := w.client(ctx, row.Cluster)
		if err != nil {
			return "", err
		}
		job, err := live(ctx, client, &row)
		var unknown *submit.UnknownJobError
		if errors.As(err, &unknown) {
			job, err = w.recorded(ctx, client, &row)
		}
		if err != nil {
			return "", err
		}
		attempts, err := w.attempts(ctx, &row)
		if err != nil {
			return "", err
		}
		result, err := client.Retry(ctx, job, submit.RetryOptions{
			Set: in.Body.Set, User: identity.Of(ctx).Name, Key: in.Body.Key, Attempts: attempts, Running: in.Body.Running, DryRun: in.Body.DryRun,
		})
		if err != nil {
			return "", err
		}
		err = w.submitted(out, row.Cluster, result, in.Body.Object)
		return "created " + out.Job.Name + " " + out.Job.UID, err
	}
	if in.Body.DryRun {
		_, err := do()
		return out, err
	}
	return out, w.audited(ctx, api.AuditEntry{Act: "retry", Object: nameOf(&row), Job: ref(&row)}, do)
}

// recorded returns a job from its last recorded body.
//
// Errors: *api.Problem: retention has removed it; those of the database.
func (w *writer) recorded(ctx context.Context, client *submit.Client, row *jobindex.Row) (submit.Job, error) {
	text, _, err := history.New(w.cfg.DB).Body(ctx, row.ID, 0)
	if errors.Is(err, history.ErrUnknown) {
		return submit.Job{}, web.Gone(fmt.Sprintf("The history no longer has what %s was submitted with.", row.Name))
	}
	if err != nil {
		return submit.Job{}, err
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &object.Object); err != nil {
		return submit.Job{}, err
	}
	object.SetResourceVersion("") // the object no longer exists
	r, err := client.Cluster().Resolve(ctx, row.Type)
	if err != nil {
		return submit.Job{}, err
	}
	return submit.JobOf(r, object), nil
}

// attempts returns the largest recorded attempt in the chain of a job.
func (w *writer) attempts(ctx context.Context, row *jobindex.Row) (last int, err error) {
	resource, group, _ := strings.Cut(row.Type, ".")
	chain, err := history.New(w.cfg.DB).Chain(ctx, row.ClusterUID, history.Type{Group: group, Resource: resource, Kind: row.Kind}, row.UID)
	if errors.Is(err, history.ErrUnknown) {
		return 0, nil
	}
	for _, a := range chain {
		last = max(last, a.Number)
	}
	return last, err
}
