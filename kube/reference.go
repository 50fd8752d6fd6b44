package kube

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/errcode"
)

// ReferenceTo returns a reference to an object, as Events have it.
//
// Errors: errcode.Invalid: the object is nil, or its type cannot be determined.
func ReferenceTo(obj Controllable) (corev1.ObjectReference, error) {
	if isNil(obj) {
		return corev1.ObjectReference{}, &errcode.Error{Code: errcode.Invalid, Problem: "the object is nil"}
	}
	gvk, err := kindOf(obj)
	if err != nil {
		return corev1.ObjectReference{}, err
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		APIVersion: apiVersion, Kind: kind, Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion(),
	}, nil
}
