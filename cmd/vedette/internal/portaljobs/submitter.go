package portaljobs

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// Submitter submits jobs through a portal to the cluster of a name, as a submit.Client does
// directly.
type Submitter struct {
	Jobs    *Jobs
	Cluster string
}

// Submit submits a job, or checks it in a dry run.
//
// Errors: *submit.InvalidError; *api.Problem; *UnsureError.
func (p *Submitter) Submit(ctx context.Context, req submit.Request) (submit.Result, error) {
	text, err := objectyaml.Marshal(req.Manifest.Object.Object)
	if err != nil {
		return submit.Result{}, err
	}
	in := api.SubmitRequest{
		Cluster: p.Cluster, Namespace: req.Namespace, YAML: text, MadeFrom: req.Template, Key: req.Key, Again: req.Again, Hold: req.Hold, Object: true,
	}
	if !req.DryRun {
		done, err := p.Jobs.Submit(ctx, in)
		if err != nil {
			return submit.Result{}, unsure(located(err, req.Manifest))
		}
		return resultOf(done)
	}
	checked, err := p.Jobs.Check(ctx, in)
	switch {
	case err != nil:
		return submit.Result{}, located(err, req.Manifest)
	case !checked.OK:
		return submit.Result{Warnings: checked.Warnings}, objectionsOf(checked.Problems, req.Manifest)
	}
	result := submit.Result{Before: checked.Before, Warnings: checked.Warnings}
	return result, withObject(&result, checked.Object)
}

// Retry submits a copy of a job, or checks it in a dry run.
func (p *Submitter) Retry(ctx context.Context, of api.JobRef, in api.RetryRequest) (submit.Result, error) {
	in.Object = true
	done, err := p.Jobs.Retry(ctx, of, in)
	if err != nil {
		return submit.Result{}, unsure(located(err, nil))
	}
	return resultOf(done)
}

// resultOf returns the result in the response of a portal.
func resultOf(done *api.Submitted) (submit.Result, error) {
	result := submit.Result{Created: done.Created, Before: done.Before, Warnings: done.Warnings}
	if err := withObject(&result, done.Object); err != nil {
		return result, err
	}
	typ, group, _ := strings.Cut(done.Job.Type, ".")
	result.Resource.Name, result.Resource.Group = typ, group
	return result, nil
}

// withObject adds the object of a response to a result, with its type if the object has it.
func withObject(result *submit.Result, text string) error {
	result.Object = &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &result.Object.Object); err != nil || result.Object.Object == nil {
		return errors.New("the portal does not send the object of the job: it is older than this program, or no portal is at this address")
	}
	kind := result.Object.GroupVersionKind()
	result.Resource = kube.Resource{Group: kind.Group, Version: kind.Version, Name: strings.ToLower(kind.Kind) + "s", Kind: kind.Kind, Singular: strings.ToLower(kind.Kind), Scope: kube.Namespaced}
	return nil
}

// located adds lines of the file to the mistakes that a portal found in a job. It returns other
// errors unchanged.
func located(err error, m *manifest.Manifest) error {
	var p *api.Problem
	if !errors.As(err, &p) || p.Type != api.ProblemInvalid || len(p.Fields) == 0 {
		return err
	}
	return objectionsOf(p.Fields, m)
}

// objectionsOf returns an error with the mistakes in a job.
func objectionsOf(fields []api.FieldProblem, m *manifest.Manifest) error {
	if len(fields) == 0 {
		fields = []api.FieldProblem{{Message: "the portal refuses the job, and does not say why"}}
	}
	invalid := &submit.InvalidError{}
	for _, f := range fields {
		problem := submit.Problem{Field: f.Field, Parameter: f.Parameter, Message: f.Message}
		if m != nil {
			place := f.Field
			if place == "metadata.name" && m.Object.GetName() == "" {
				place = "metadata.generateName"
			}
			problem.Source = m.Source
			problem.Line, _ = m.Line(place)
		}
		invalid.Problems = append(invalid.Problems, problem)
	}
	return invalid
}

// UnsureError reports that it is unknown whether a portal created a job.
type UnsureError struct{ Err error }

// Error implements error.
func (e *UnsureError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsureError) Unwrap() error { return e.Err }

// unsure marks an error after which the job may exist.
func unsure(err error) error {
	var invalid *submit.InvalidError
	var p *api.Problem
	if errors.As(err, &invalid) || errors.As(err, &p) && p.Type != api.ProblemCluster || errors.Is(err, context.Canceled) {
		return err
	}
	return &UnsureError{err}
}
