package kube

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// KeyOf returns the key of an object. Its cluster is empty.
func KeyOf(obj metav1.Object) wire.Key { return keyOf(obj) }

// VersionOf returns the resourceVersion of an object. It is zero for an object that was
// never written.
//
// Errors: those of wire.ParseVersion.
func VersionOf(obj metav1.Object) (wire.Version, error) {
	return wire.ParseVersion(obj.GetResourceVersion())
}

// IgnoreNotFound returns nil if the error says that an object does not exist, and the error
// otherwise. A reconciler uses it for an object that was deleted in the meantime.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
