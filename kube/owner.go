package kube

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/errcode"
)

// Controllable is an object that can be the controller of other objects. Every API type
// implements it.
type Controllable interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
}

// SetController makes owner the controller of obj: when owner is deleted, the
// server deletes obj too, and ControllerOf returns owner. owner must have been read from
// the server. SetController changes only obj and sends nothing.
//
// Errors: errcode.Invalid: owner has no UID, or its type cannot be determined; obj has
// another controller; owner is in another namespace and therefore cannot own obj.
func SetController(obj metav1.Object, owner Controllable) error {
	if isNil(obj) || isNil(owner) {
		return &errcode.Error{Code: errcode.Invalid, Problem: "the object or its owner is nil"}
	}
	gvk, err := kindOf(owner)
	if err != nil {
		return err
	}
	if owner.GetUID() == "" {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s %q has no UID", gvk.Kind, owner.GetName()), Remedy: "use the owner as returned by the server"}
	}
	if ns := owner.GetNamespace(); ns != "" && ns != obj.GetNamespace() {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s %q in namespace %q cannot own an object in namespace %q", gvk.Kind, owner.GetName(), ns, obj.GetNamespace())}
	}
	if owner.GetUID() == obj.GetUID() {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s %q cannot own itself", gvk.Kind, owner.GetName())}
	}
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	ref := metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
	refs := make([]metav1.OwnerReference, 0, len(obj.GetOwnerReferences())+1)
	for _, other := range obj.GetOwnerReferences() {
		switch {
		case other.UID == ref.UID: // replaced
		case other.Controller != nil && *other.Controller:
			return &errcode.Error{
				Code:    errcode.Invalid,
				Problem: fmt.Sprintf("%q already has the controller %s %q", obj.GetName(), other.Kind, other.Name),
				Remedy:  "leave the object to its controller, or choose another name",
			}
		default:
			refs = append(refs, other)
		}
	}
	obj.SetOwnerReferences(append(refs, ref))
	return nil
}

// ControllerOf returns the reference to the controller of an object. ok is false if the
// object has no controller.
func ControllerOf(obj metav1.Object) (ref metav1.OwnerReference, ok bool) {
	if isNil(obj) {
		return ref, false
	}
	for _, ref := range obj.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller {
			return ref, true
		}
	}
	return ref, false
}

// kindOf returns the kind that the object states, or else the kind of its Go type.
func kindOf(obj Controllable) (schema.GroupVersionKind, error) {
	if gvk := obj.GetObjectKind().GroupVersionKind(); gvk.Kind != "" && gvk.Version != "" {
		return gvk, nil
	}
	kinds, err := kindsOf(nil, reflect.Indirect(reflect.ValueOf(obj)).Type(), obj)
	if err != nil || len(kinds) != 1 {
		return schema.GroupVersionKind{}, &errcode.Error{
			Code:    errcode.Invalid,
			Problem: fmt.Sprintf("the type of %q (%T) cannot be determined", obj.GetName(), obj), Remedy: "set its apiVersion and kind",
		}
	}
	return kinds[0], nil
}
