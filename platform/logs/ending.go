package logs

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/wire"
)

// Intervals of the checks whether the job has ended.
const (
	askSoon  = time.Second      // after a pod has changed
	askLater = 10 * time.Second // without any change
)

// awaitEnd returns when the job has ended, was deleted, or was replaced by a namesake. It
// checks from time to time, and soon after each nudge. A failed check does not count as
// the end.
//
// Errors: the cause of ctx.
func awaitEnd(ctx context.Context, cluster *kube.Cluster, j submit.Job, nudge <-chan struct{}) error {
	client, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: submit.FullName(j.Resource)})
	if err != nil {
		return err
	}
	key := wire.Key{Name: j.Name}
	if j.Resource.Scope == kube.Namespaced {
		key.Namespace = j.Namespace
	}
	for {
		object, err := client.Get(ctx, key)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case apierrors.IsNotFound(err):
			return nil
		case err == nil && (string(object.GetUID()) != j.UID || job.ReadStatus(object.Object).State.Final()):
			return nil
		}
		if err := pause.For(ctx, askSoon); err != nil {
			return err
		}
		if err := pauseUntil(ctx, time.After(askLater), nudge); err != nil {
			return err
		}
	}
}

// pauseUntil waits for a time or a nudge.
func pauseUntil(ctx context.Context, over <-chan time.Time, nudge <-chan struct{}) error {
	select {
	case <-over:
	case <-nudge:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
