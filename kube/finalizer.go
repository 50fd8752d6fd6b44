package kube

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HasFinalizer reports whether an object has a finalizer. It returns false for a nil
// object.
func HasFinalizer(obj metav1.Object, finalizer string) bool {
	return !isNil(obj) && slices.Contains(obj.GetFinalizers(), finalizer)
}

// AddFinalizer adds a finalizer to an object and reports whether that changed the object.
// It sends nothing.
func AddFinalizer(obj metav1.Object, finalizer string) bool {
	if isNil(obj) || finalizer == "" || HasFinalizer(obj, finalizer) {
		return false
	}
	obj.SetFinalizers(append(slices.Clone(obj.GetFinalizers()), finalizer))
	return true
}

// RemoveFinalizer removes a finalizer from an object and reports whether that changed the
// object. It sends nothing.
func RemoveFinalizer(obj metav1.Object, finalizer string) bool {
	if !HasFinalizer(obj, finalizer) {
		return false
	}
	obj.SetFinalizers(slices.DeleteFunc(slices.Clone(obj.GetFinalizers()), func(f string) bool { return f == finalizer }))
	return true
}
