package submit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Release ends the hold of a job that was submitted with Request.Hold, or resumes a job
// that Cancel has suspended. It reads the job from the server again. A job of Kueue gets
// its queue back, and waits there. Release returns false if the job is not held; this is
// not an error, because another caller may have released it.
//
// Errors: *UnknownJobError; *DeniedError; *kube.RequestError.
func (c *Client) Release(ctx context.Context, job Job) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, c.cfg.Patience)
	defer stop()
	client, err := kube.For[unstructured.Unstructured](c.cluster, kube.ClientConfig{Resource: FullName(job.Resource), Writes: kube.Persist})
	if err != nil {
		return false, err
	}
	for n := 1; ; n++ {
		let, err := c.release(ctx, client, job)
		if !apierrors.IsConflict(err) || n == maxConflicts {
			return let, err
		}
		timer := time.NewTimer(time.Duration(n) * (5*time.Millisecond + rand.N(10*time.Millisecond)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false, context.Cause(ctx)
		}
	}
}

// release reads the job and changes it. A conflict means that it has changed since it was
// read.
func (c *Client) release(ctx context.Context, client *kube.Client[unstructured.Unstructured], job Job) (let bool, err error) {
	request := attempts{c.cfg.Attempt, c.cfg.Logger}
	key := wire.Key{Namespace: job.Namespace, Name: job.Name}
	right := func(verb string) Right {
		return Right{Verb: verb, Resource: job.Resource, Namespace: job.Namespace}
	}
	var object *unstructured.Unstructured
	if _, err := request.do(ctx, "get "+job.String(), func(ctx context.Context) (err error) {
		object, err = client.Get(ctx, key)
		return err
	}); err != nil {
		return false, Denied(ctx, c.cluster, err, right("get"))
	}
	if job.UID != "" && string(object.GetUID()) != job.UID {
		return false, apierrors.NewNotFound(schema.GroupResource{Group: job.Resource.Group, Resource: job.Resource.Name}, job.Name) // a later namesake
	}
	change, held := released(object)
	if !held {
		return false, nil
	}
	metadata, ok := change["metadata"].(map[string]any)
	if !ok {
		return false, fmt.Errorf("release %s: the change has no metadata", job)
	}
	metadata["uid"], metadata["resourceVersion"] = string(object.GetUID()), object.GetResourceVersion()
	var conflict error
	unsure, err := request.do(ctx, "release "+job.String(), func(ctx context.Context) error {
		_, err := client.Patch(ctx, key, kube.MergePatch(change))
		if apierrors.IsConflict(err) { // a known outcome: the caller reads the job again
			conflict = err
			return nil
		}
		conflict = nil
		return err
	})
	if err == nil && conflict != nil {
		return unsure, conflict
	}
	return err == nil, Denied(ctx, c.cluster, err, right("patch"))
}
