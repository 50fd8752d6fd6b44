package submit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// maxTaken is the maximum number of names that a retry tries.
const maxTaken = 5

// Retry submits a copy of a job, with a link to it and with the changes of RetryOptions.
// The copy omits the fields that the server, controllers and queue managers have written.
// Its name is the name of the first job of the chain with the attempt: "train-7-r2".
// of.Object is the job as it was read, or a body from the history if the job is deleted.
//
// Two retries of one job with the same key create one job. Without a key, each call of
// Retry is a request of its own.
//
// Errors: *NotFinishedError; errcode.Invalid for an invalid change, and for a job that
// belongs to another one; those of Submit and of Find.
func (c *Client) Retry(ctx context.Context, of Job, o RetryOptions) (Result, error) {
	if parent := parentOf(of.Object); parent != "" {
		return Result{}, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s belongs to %s", of, parent), Remedy: "retry that"}
	}
	if err := finished(of); err != nil && !o.Running {
		return Result{}, err
	}
	m, err := manifest.New("retry of "+of.String(), copyOf(of.Object).Object, nil)
	if err != nil {
		return Result{}, err
	}
	if err := setAll(m, o.Set); err != nil {
		return Result{}, err
	}
	key := o.Key
	if key == "" {
		key = RandomKey()
	}
	link := RetryOf{UID: string(of.Object.GetUID()), Name: of.Name, Root: rootOf(of.Object)}
	req := Request{Manifest: m, Namespace: of.Namespace, User: o.User, Template: of.Object.GetLabels()[job.TemplateLabel], Key: key, DryRun: o.DryRun, Retry: &link}
	named := m.Object.GetName() != "" || m.Object.GetGenerateName() != ""
	for n := 1; ; n++ {
		same, last, err := c.chain(ctx, of, link.Root, key)
		switch {
		case err != nil:
			return Result{}, err
		case same != nil:
			return Result{Object: same, Resource: of.Resource, Key: key, Before: true}, nil
		}
		link.Attempt = min(max(last, attemptOf(of.Object), o.Attempts), job.MaxAttempt-1) + 1
		if !named {
			m.Object.SetName(attemptName(baseOf(of.Object), link.Attempt))
		}
		result, err := c.Submit(ctx, req)
		var taken *TakenError
		if err == nil && of.Object.GetResourceVersion() == "" {
			result.Warnings = append(result.Warnings, fmt.Sprintf("%s is deleted, so the copy is made from the history; fields that recorders leave out are missing", of))
		}
		if !errors.As(err, &taken) || named || n == maxTaken {
			return result, err
		}
		// A job that is not an attempt of this chain keeps its name, and numbers end.
		if rootOf(taken.Job.Object) != link.Root || link.Attempt == job.MaxAttempt {
			m.Object.SetName(nameOf(attemptName(baseOf(of.Object), link.Attempt)+"-", o.User, of.Namespace, key))
			named = true
		}
	}
}

// chain reads the attempts on the server. same is the attempt that was created by a
// request with the key, if any, and last the largest number of an attempt. If attempts
// cannot be listed, last is 0.
func (c *Client) chain(ctx context.Context, of Job, root, key string) (same *unstructured.Unstructured, last int, err error) {
	if strings.Trim(labelValue(root), "-_.") != root { // of an object without a UID
		return nil, 0, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s has the UID %.80q, which cannot be a label", of, root)}
	}
	ctx, stop := context.WithTimeout(ctx, max(c.cfg.Patience, time.Second))
	defer stop()
	jobs, err := c.list(ctx, of.Resource, kube.Where{Namespace: of.Namespace, LabelSelector: job.RetryRootLabel + "=" + root})
	if errors.As(err, new(*DeniedError)) {
		return nil, 0, nil
	}
	for _, j := range jobs {
		last = max(last, attemptOf(j.Object))
		if j.Object.GetAnnotations()[job.RequestKeyAnnotation] == key {
			same = j.Object
		}
	}
	return same, last, err
}
