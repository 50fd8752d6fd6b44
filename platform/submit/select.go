package submit

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
)

// Select returns the jobs of all types of Workloads that a label selector selects in a
// namespace, ordered by type. It omits jobs that belong to another job, and types that may
// not be listed, unless no type may be listed. An empty namespace means the namespace of
// the client.
//
// Errors: *DeniedError, *kube.DiscoveryError, errcode.Invalid, *kube.RequestError.
func (c *Client) Select(ctx context.Context, selector, namespace string) ([]Job, error) {
	if namespace == "" {
		namespace = c.cfg.Namespace
	}
	all, err := c.cluster.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var found []Job
	var refused error
	listed := false
	for _, r := range served(all) {
		jobs, err := c.list(ctx, r, kube.Where{Namespace: namespace, LabelSelector: selector})
		switch {
		case errors.As(err, new(*DeniedError)):
			if refused == nil {
				refused = err
			}
			continue
		case err != nil:
			return nil, err
		}
		listed = true
		found = append(found, jobs...)
	}
	if listed {
		refused = nil
	}
	return slices.DeleteFunc(found, func(j Job) bool { return parentOf(j.Object) != "" }), refused
}

// list returns the selected jobs of a type.
//
// Errors: *DeniedError, errcode.Invalid, *kube.RequestError.
func (c *Client) list(ctx context.Context, r kube.Resource, where kube.Where) (jobs []Job, err error) {
	client, err := kube.For[unstructured.Unstructured](c.cluster, kube.ClientConfig{Resource: FullName(r)})
	if err != nil {
		return nil, err
	}
	_, err = c.attempts().do(ctx, "list "+r.String(), func(ctx context.Context) error {
		jobs = nil
		for object, err := range client.List(ctx, where) {
			if err != nil {
				return err
			}
			jobs = append(jobs, JobOf(r, object))
		}
		return nil
	})
	return jobs, Denied(ctx, c.cluster, err, Right{Verb: "list", Resource: r, Namespace: where.Namespace})
}
