package submit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/jobmeta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// suspendOf returns the path of the field that suspends a job; nil if its type has none.
func suspendOf(object *unstructured.Unstructured) []string {
	of := groupKind(object.GetAPIVersion(), object.GetKind())
	h, holds := holders[of]
	if !holds || !suspendable(of, object) {
		return nil
	}
	return append(slices.Clone(h.section), "suspend")
}

// hold changes a job so that nothing starts it until Release: it is suspended, and Kueue, which
// would resume it, does not see its queue. It returns false for a type that cannot be suspended.
func hold(object *unstructured.Unstructured) bool {
	path := suspendOf(object)
	if path == nil || unstructured.SetNestedField(object.Object, true, path...) != nil {
		return false
	}
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if queue := labels[kueueQueue]; queue != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[jobmeta.HeldQueue] = queue
		delete(labels, kueueQueue)
	}
	labels[jobmeta.Held] = "true"
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	return true
}

// unhold changes a manifest that was read from a job that is held to what was submitted.
func unhold(object *unstructured.Unstructured) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels[jobmeta.Held] == "" {
		return
	}
	if queue := annotations[jobmeta.HeldQueue]; queue != "" {
		labels[kueueQueue] = queue
	}
	delete(labels, jobmeta.Held)
	delete(annotations, jobmeta.HeldQueue)
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	if path := suspendOf(object); path != nil {
		unstructured.RemoveNestedField(object.Object, path...)
	}
}

// released returns the change that ends a hold, or a cancellation by suspension. It returns
// false if the job is neither held nor suspended.
func released(object *unstructured.Unstructured) (change map[string]any, ok bool) {
	path := suspendOf(object)
	if path == nil {
		return nil, false
	}
	suspended, _, _ := unstructured.NestedBool(object.Object, path...)
	held, claim := object.GetLabels()[jobmeta.Held] != "", claimOf(object)
	cancelled := claim.Actor != "" && claim.How == jobmeta.CancelSuspend
	if !held && !(cancelled && suspended) {
		return nil, false
	}
	labels, annotations := map[string]any{}, map[string]any{}
	if held {
		labels[jobmeta.Held], annotations[jobmeta.HeldQueue] = nil, nil
	}
	if cancelled {
		for _, name := range []string{jobmeta.CancelledBy, jobmeta.CancelledAt, jobmeta.CancelReason, jobmeta.Cancel} {
			annotations[name] = nil
		}
	}
	change = map[string]any{"metadata": map[string]any{"labels": labels, "annotations": annotations}}
	if queue := object.GetAnnotations()[jobmeta.HeldQueue]; held && queue != "" {
		labels[kueueQueue] = queue // Kueue resumes the job when it has quota
		return change, true
	}
	return change, unstructured.SetNestedField(change, false, path...) == nil
}

// Release lets a job go that was submitted with Request.Hold, or that Cancel has suspended. The
// job is read from the server again. A job of Kueue gets its queue back, and waits there. Release
// returns false if the job is not held: that is no error, because somebody else may have released
// it.
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

// release reads the job and changes it. A conflict means that it has changed meanwhile.
func (c *Client) release(ctx context.Context, client *kube.Client[unstructured.Unstructured], job Job) (let bool, err error) {
	key := wire.Key{Namespace: job.Namespace, Name: job.Name}
	right := func(verb string) Right {
		return Right{Verb: verb, Resource: job.Resource, Namespace: job.Namespace}
	}
	var object *unstructured.Unstructured
	if _, err := c.attempts().do(ctx, "get "+job.String(), func(ctx context.Context) (err error) {
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
	unsure, err := c.attempts().do(ctx, "release "+job.String(), func(ctx context.Context) error {
		_, err := client.Patch(ctx, key, kube.MergePatch(change))
		if apierrors.IsConflict(err) { // an outcome: the job is read again
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
