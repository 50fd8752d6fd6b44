package submit

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"
)

// way is the method to cancel one job.
type way struct {
	// how is a value of job.CancelAnnotation.
	how string
	// path and value are a field that is set together with the mark; empty for deletions
	// and for Volcano.
	path  []string
	value any
}

// kindOf returns the kind of an object, or nil.
func kindOf(object *unstructured.Unstructured) *job.Kind {
	return job.KindOf(object.GetAPIVersion(), object.GetKind())
}

// wayOf returns the method to cancel a job.
//
// Errors: errcode.Invalid for a type that cannot be suspended.
func wayOf(object *unstructured.Unstructured, how How) (way, error) {
	deletion := way{how: job.CancelDelete}
	if how == Deleting {
		return deletion, nil
	}
	k, o := kindOf(object), job.Object(object.Object)
	switch {
	case k != nil && (k.Command || k.Stop.Path != nil && how == AsTypeDemands):
		return way{job.CancelCommand, k.Stop.Path, k.Stop.On}, nil
	case k.Suspendable(o) && (how == Suspending || !k.Resumed(o)):
		return way{job.CancelSuspend, k.Suspend.Path, k.Suspend.On}, nil
	case how == Suspending:
		return way{}, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("this %s cannot be suspended", object.GetKind()), Remedy: "cancel it as its type demands"}
	}
	return deletion, nil
}

// applied reports whether the field of the way already has its value.
func (w way) applied(object *unstructured.Unstructured) bool {
	if w.path == nil {
		return false
	}
	v, _, err := unstructured.NestedFieldNoCopy(object.Object, w.path...)
	return err == nil && v == w.value
}

// parentOf returns the object that would start the job again, such as "JobSet train-7", or
// "".
func parentOf(object *unstructured.Unstructured) string {
	owner := metav1.GetControllerOf(object)
	if owner == nil {
		return ""
	}
	if !job.KindOf(owner.APIVersion, owner.Kind).Restarts() {
		return ""
	}
	return owner.Kind + " " + owner.Name
}
