package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// UnknownJobError reports that no job has a name.
type UnknownJobError struct {
	Name, Namespace string
	// Elsewhere are jobs of other types with that name, in the form "pytorchjob.kubeflow.org/train-7".
	Elsewhere []string
}

// Error implements error.
func (e *UnknownJobError) Error() string {
	what := e.Name // "job/train-7" includes the type
	if !strings.Contains(what, "/") {
		what = "job " + what
	}
	text := fmt.Sprintf("no %s is in the namespace %s", what, e.Namespace)
	if len(e.Elsewhere) > 0 {
		text += "; did you mean " + strings.Join(e.Elsewhere, " or ") + "?"
	}
	return text
}

// AmbiguousError reports that several jobs have a name that was given without a type.
type AmbiguousError struct {
	Name, Namespace string
	// Jobs are at least two, in the form "pytorchjob.kubeflow.org/train-7".
	Jobs []string
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("several jobs are called %s in the namespace %s; name one of %s", e.Name, e.Namespace, strings.Join(e.Jobs, ", "))
}

// Find returns the job with a name: with its type, as in "job/train-7" and
// "pytorchjobs.kubeflow.org/train-7", or without, as in "train-7". If several groups have the
// type, Find takes the first group in kubectl's order that has such a job. For a name without a
// type, Find checks the types of Workloads that the server serves, and ignores jobs that
// belong to another job with the name. An empty namespace means the namespace of the
// client.
//
// Errors: *UnknownJobError, *AmbiguousError, *DeniedError; *kube.UnknownResourceError,
// errcode.Invalid, *kube.RequestError.
func (c *Client) Find(ctx context.Context, name, namespace string) (Job, error) {
	if namespace == "" {
		namespace = c.cfg.Namespace
	}
	typ, rest, typed := strings.Cut(name, "/")
	if !typed {
		return c.findBare(ctx, name, namespace)
	}
	if strings.Contains(rest, "/") {
		return Job{}, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the name %.80q has more than one /", name), Remedy: "use the form TYPE/NAME, such as job/train-7"}
	}
	r, err := c.cluster.Resolve(ctx, typ)
	if err != nil {
		return Job{}, err
	}
	job, err := c.read(ctx, r, rest, namespace)
	if !apierrors.IsNotFound(err) {
		return job, err
	}
	unknown := &UnknownJobError{Name: name, Namespace: namespace}
	if others, err := c.named(ctx, rest, namespace); err == nil { // only a hint
		for _, o := range others {
			if strings.EqualFold(typ, o.Resource.Name) || strings.EqualFold(typ, o.Resource.Kind) {
				return o, nil
			}
		}
		unknown.Elsewhere = typedNames(others)
	}
	return Job{}, unknown
}

// findBare finds a name in all types of jobs.
func (c *Client) findBare(ctx context.Context, name, namespace string) (Job, error) {
	found, err := c.named(ctx, name, namespace)
	switch {
	case len(found) > 1:
		return Job{}, &AmbiguousError{Name: name, Namespace: namespace, Jobs: typedNames(found)}
	case len(found) == 1:
		return found[0], nil
	case err != nil:
		return Job{}, err
	}
	return Job{}, &UnknownJobError{Name: name, Namespace: namespace}
}

// named returns the jobs with a name that do not belong to another one of them. It skips
// types that may not be read; err is the first such refusal.
func (c *Client) named(ctx context.Context, name, namespace string) (found []Job, err error) {
	all, err := c.cluster.Resources(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range served(all) {
		job, failed := c.read(ctx, r, name, namespace)
		var denied *DeniedError
		switch {
		case failed == nil:
			found = append(found, job)
		case errors.As(failed, &denied):
			if err == nil {
				err = failed
			}
		case !apierrors.IsNotFound(failed):
			return nil, failed
		}
	}
	uids := map[string]bool{}
	for _, j := range found {
		uids[j.UID] = true
	}
	return slices.DeleteFunc(found, func(j Job) bool {
		owner := metav1.GetControllerOf(j.Object)
		return owner != nil && uids[string(owner.UID)]
	}), err
}

// read returns a job by type and name.
//
// Errors: *DeniedError, *kube.RequestError.
func (c *Client) read(ctx context.Context, r kube.Resource, name, namespace string) (Job, error) {
	client, err := kube.For[unstructured.Unstructured](c.cluster, kube.ClientConfig{Resource: FullName(r)})
	if err != nil {
		return Job{}, err
	}
	if r.Scope != kube.Namespaced {
		namespace = ""
	}
	object, err := client.Get(ctx, wire.Key{Namespace: namespace, Name: name})
	if err != nil {
		return Job{}, Denied(ctx, c.cluster, err, Right{Verb: "get", Resource: r, Namespace: namespace})
	}
	return JobOf(r, object), nil
}

func typedNames(jobs []Job) []string {
	names := make([]string, len(jobs))
	for i, j := range jobs {
		names[i] = j.String()
	}
	return names
}
