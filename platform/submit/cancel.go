package submit

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Cancel stops a job and marks it with the actor, the reason and the time, so that
// history, messages and pages can show them after the job is deleted. It reads the job
// from the server again and ignores job.Object. Cancelling a job twice is not an error;
// the first actor stays.
//
// If a field of the spec suspends or stops the job, one write sets the mark and the field.
// To delete a job, Cancel first checks with a dry run that the server would delete it,
// then marks it, and then deletes it; it never deletes a later namesake. If the server
// refuses to delete a marked job, Cancel removes the mark.
//
// Errors: *FinishedError, *DeniedError, *UnfinishedError, *UnknownJobError;
// errcode.Invalid for contradictory options, and for a job that its parent would start
// again; *kube.RequestError.
func (c *Client) Cancel(ctx context.Context, job Job, o CancelOptions) (Cancelled, error) {
	reason, err := o.reason()
	if err != nil {
		return Cancelled{}, err
	}
	if o.Actor == "" {
		if o.Actor, err = c.User(ctx); err != nil {
			return Cancelled{}, err
		}
	}
	ctx, stop := context.WithTimeout(ctx, c.cfg.Patience)
	defer stop()
	k := canceller{
		ctx: ctx, cluster: c.cluster, job: job, key: wire.Key{Namespace: job.Namespace, Name: job.Name}, options: o,
		mine: Cancelled{Actor: o.Actor, Reason: reason, At: time.Now().UTC().Truncate(time.Second)}, request: attempts{c.cfg.Attempt, c.cfg.Logger},
	}
	writes := kube.Persist
	if o.DryRun {
		writes = kube.DryRun
	}
	if k.client, err = kube.For[unstructured.Unstructured](c.cluster, kube.ClientConfig{Resource: FullName(job.Resource), Writes: writes}); err != nil {
		return Cancelled{}, err
	}
	if k.trial, err = kube.For[unstructured.Unstructured](c.cluster, kube.ClientConfig{Resource: FullName(job.Resource), Writes: kube.DryRun}); err != nil {
		return Cancelled{}, err
	}
	return k.run()
}

// maxConflicts is the maximum number of times a job is read again because others have
// changed it.
const maxConflicts = 10

// canceller cancels one job. It belongs to one call of Cancel.
type canceller struct {
	ctx     context.Context
	cluster *kube.Cluster
	client  *kube.Client[unstructured.Unstructured]
	trial   *kube.Client[unstructured.Unstructured] // for dry runs
	request attempts
	job     Job
	key     wire.Key
	options CancelOptions
	mine    Cancelled
	marked  bool // this call has written the mark
	tried   bool // the dry run of the deletion succeeded
}

func (k *canceller) run() (Cancelled, error) {
	for n := 1; ; n++ {
		done, err := k.once()
		if !apierrors.IsConflict(err) || n == maxConflicts {
			return done, k.failed(err)
		}
		timer := time.NewTimer(time.Duration(n) * (5*time.Millisecond + rand.N(10*time.Millisecond)))
		select {
		case <-timer.C:
		case <-k.ctx.Done():
			timer.Stop()
			return Cancelled{}, k.failed(err)
		}
	}
}

// once does the steps that the current state of the job requires. A conflict means that
// the job has changed since it was read.
func (k *canceller) once() (Cancelled, error) {
	if err := k.read(); err != nil {
		if apierrors.IsNotFound(err) && k.marked { // deleted by an earlier request
			return k.mine, nil
		}
		return Cancelled{}, err
	}
	p, err := planOf(k.job, k.options.How)
	if err != nil {
		return Cancelled{}, err
	}
	ours := p.claim.Actor == k.mine.Actor && p.claim.At.Equal(k.mine.At) && p.claim.Reason == k.mine.Reason
	if p.done {
		p.claim.Before = !ours && !k.marked
		return p.claim, nil
	}
	if p.how, err = k.allowed(p.way); err != nil {
		return Cancelled{}, err
	}
	if !p.keep || p.how != p.claim.How {
		if err := k.mark(&p); err != nil {
			return Cancelled{}, err
		}
	}
	k.mine.How = p.how
	if p.keep {
		k.mine.Actor, k.mine.Reason, k.mine.At = p.claim.Actor, p.claim.Reason, p.claim.At
	}
	switch {
	case p.path != nil:
		return k.mine, nil
	case p.how == job.CancelCommand:
		return k.mine, k.command(kube.Persist)
	}
	return k.mine, k.delete(k.client)
}

// send repeats a request until its outcome is known. A conflict is a known outcome.
func (k *canceller) send(what string, request func(context.Context) error) (unsure bool, err error) {
	var conflict error
	unsure, err = k.request.do(k.ctx, what, func(ctx context.Context) error {
		err := request(ctx)
		if apierrors.IsConflict(err) {
			conflict = err
			return nil
		}
		return err
	})
	return unsure, cmp.Or(err, conflict)
}

// read reads the job.
func (k *canceller) read() error {
	_, err := k.send("get "+k.job.String(), func(ctx context.Context) (err error) {
		k.job.Object, err = k.client.Get(ctx, k.key)
		return err
	})
	switch {
	case err != nil:
		return Denied(k.ctx, k.cluster, err, k.right("get"))
	case k.job.UID != "" && string(k.job.Object.GetUID()) != k.job.UID:
		return apierrors.NewNotFound(schema.GroupResource{Group: k.job.Resource.Group, Resource: k.job.Resource.Name}, k.job.Name) // a later namesake
	}
	k.job.UID = string(k.job.Object.GetUID())
	return nil
}

// allowed checks with a dry run that the step after the mark would succeed. It returns the
// method to use: a job of Volcano is deleted if commands are not served or not allowed.
func (k *canceller) allowed(w way) (how string, err error) {
	if w.how == job.CancelCommand && w.path == nil {
		err := k.command(kube.DryRun)
		var unknown *kube.UnknownResourceError
		var denied *DeniedError
		if err == nil || k.options.How == Suspending || !errors.As(err, &unknown) && !errors.As(err, &denied) {
			return w.how, err
		}
		w.how = job.CancelDelete
	}
	if w.how == job.CancelDelete && !k.tried {
		if err := k.delete(k.trial); err != nil {
			return w.how, err
		}
		k.tried = true
	}
	return w.how, nil
}

// mark writes the annotations, together with the field that stops the job.
func (k *canceller) mark(p *plan) error {
	claim := k.mine
	if p.keep {
		claim = p.claim
	}
	annotations := map[string]any{job.CancelledByAnnotation: claim.Actor, job.CancelledAtAnnotation: claim.At.Format(time.RFC3339), job.CancelAnnotation: p.how, job.CancelReasonAnnotation: nil}
	if claim.Reason != "" {
		annotations[job.CancelReasonAnnotation] = claim.Reason
	}
	patch := map[string]any{}
	if p.path != nil {
		if err := unstructured.SetNestedField(patch, p.value, p.path...); err != nil {
			return err
		}
	}
	unsure, err := k.patch(patch, annotations)
	k.marked = k.marked || unsure || err == nil
	return Denied(k.ctx, k.cluster, err, k.right("patch"))
}

// patch changes the job, unless it has changed since it was read.
func (k *canceller) patch(change, annotations map[string]any) (unsure bool, err error) {
	change, annotations = maps.Clone(change), maps.Clone(annotations)
	field, _, _ := unstructured.NestedMap(change, "metadata", "annotations") // some types are stopped by an annotation
	maps.Copy(annotations, field)
	change["metadata"] = map[string]any{"uid": k.job.UID, "resourceVersion": k.job.Object.GetResourceVersion(), "annotations": annotations}
	return k.send("patch "+k.job.String(), func(ctx context.Context) error {
		object, err := k.client.Patch(ctx, k.key, kube.MergePatch(change))
		if err == nil && !k.options.DryRun {
			k.job.Object = object
		}
		return err
	})
}

// delete deletes the job as it was read. A conflict means that it has changed: it may have
// ended.
func (k *canceller) delete(client *kube.Client[unstructured.Unstructured]) error {
	options := kube.DeleteOptions{UID: types.UID(k.job.UID), Propagation: kube.Background}
	if client != k.trial {
		version, err := wire.ParseVersion(k.job.Object.GetResourceVersion())
		if err == nil && !k.options.DryRun {
			options.Version = version
		}
	}
	unsure, err := k.send("delete "+k.job.String(), func(ctx context.Context) error { return client.Delete(ctx, k.key, options) })
	if apierrors.IsNotFound(err) && (unsure || k.marked) {
		return nil
	}
	return Denied(k.ctx, k.cluster, err, k.right("delete"))
}

// command makes Volcano abort the job.
//
// Errors: *kube.UnknownResourceError if commands are not served.
func (k *canceller) command(writes kube.Writes) error {
	if k.options.DryRun {
		writes = kube.DryRun
	}
	client, err := kube.For[unstructured.Unstructured](k.cluster, kube.ClientConfig{Resource: commands, Writes: writes})
	if err != nil {
		return err
	}
	command := abortion(k.job.Object, nameOf(k.job.Name+"-", k.mine.Actor, k.job.Namespace, k.job.UID+k.mine.At.String()))
	_, err = k.send("abort "+k.job.String(), func(ctx context.Context) error {
		_, err := client.Create(ctx, command)
		return err
	})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return Denied(k.ctx, k.cluster, err, Right{Verb: "create", Resource: commandType, Namespace: k.job.Namespace})
}

// failed completes the error of the last step. If the job is marked and was not stopped,
// it removes the mark.
func (k *canceller) failed(err error) error {
	if apierrors.IsNotFound(err) && !k.marked {
		return &UnknownJobError{Name: k.job.String(), Namespace: k.job.Namespace}
	}
	if err == nil || !k.marked || k.options.DryRun {
		return err
	}
	var ended *FinishedError
	finished := errors.As(err, &ended)
	if (finished || apierrors.IsConflict(err) || outcomeOf(err) == refused) && k.unmark() == nil || finished { // a mark has no effect on a job that has ended
		return err
	}
	return &UnfinishedError{Job: k.job.String(), Err: err}
}

// unmark removes the annotations that this call has written.
func (k *canceller) unmark() error {
	if err := k.read(); err != nil {
		return err
	}
	if claim := claimOf(k.job.Object); claim.Actor != k.mine.Actor || !claim.At.Equal(k.mine.At) {
		return nil // written by another call
	}
	_, err := k.patch(map[string]any{}, map[string]any{job.CancelledByAnnotation: nil, job.CancelledAtAnnotation: nil, job.CancelAnnotation: nil, job.CancelReasonAnnotation: nil})
	return err
}

// right returns the right for a request, with the other rights to cancel jobs of the type.
func (k *canceller) right(verb string) Right {
	also := slices.DeleteFunc([]string{"get", "patch", "delete"}, func(other string) bool { return other == verb })
	return Right{Verb: verb, Resource: k.job.Resource, Namespace: k.job.Namespace, Also: also}
}
