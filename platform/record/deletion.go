package record

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// deletionCheck asks the server whether an object that it no longer reports is deleted. A
// watch with selectors reports an object that left the selection as deleted.
type deletionCheck func(ctx context.Context, key wire.Key, uid string) (deleted bool, err error)

// newDeletionCheck returns the check for a target with selectors. It returns nil for a
// target without selectors, because every object that such a target no longer reports is
// deleted.
func newDeletionCheck(c *kube.Cluster, t Target) (deletionCheck, error) {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return nil, nil
	}
	client, err := kube.For[metav1.PartialObjectMetadata](c, kube.ClientConfig{Resource: t.Type})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, key wire.Key, uid string) (bool, error) {
		obj, err := client.Get(ctx, key)
		switch {
		case apierrors.IsNotFound(err):
			return true, nil
		case apierrors.IsForbidden(err):
			return true, nil // without the right to get the object, trust the watch
		case err != nil:
			return false, fmt.Errorf("check whether %s is deleted: %w", key, err)
		}
		return string(obj.UID) != uid, nil
	}, nil
}
