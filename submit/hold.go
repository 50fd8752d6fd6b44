package submit

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/jobmeta"
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

// hold changes a job so that it does not start before Release: it suspends the job, and
// hides its queue from Kueue, which would resume it. It returns false for a type that
// cannot be suspended.
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

// park keeps a held job out of the default queue of the server, such as the LocalQueue
// "default" of its namespace, by naming a queue that does not exist. checked is the result
// of a dry run. park returns false if the server assigns no default queue.
func park(object, checked *unstructured.Unstructured) bool {
	queue := checked.GetLabels()[kueueQueue]
	if queue == "" || queue == jobmeta.NoQueue {
		return false
	}
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if annotations[jobmeta.HeldQueue] == "" {
		annotations[jobmeta.HeldQueue] = queue
	}
	labels[kueueQueue] = jobmeta.NoQueue
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	return true
}

// unhold restores the submitted fields in a manifest of a held job.
func unhold(object *unstructured.Unstructured) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels[jobmeta.Held] == "" {
		return
	}
	if labels[kueueQueue] == jobmeta.NoQueue {
		delete(labels, kueueQueue)
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

// released returns the change that ends a hold, or a cancellation by suspension. It
// returns false if the job is neither held nor suspended.
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
	switch queue := object.GetAnnotations()[jobmeta.HeldQueue]; {
	case held && queue != "":
		labels[kueueQueue] = queue // Kueue resumes the job when it has quota
		return change, true
	case held && object.GetLabels()[kueueQueue] == jobmeta.NoQueue:
		labels[kueueQueue] = nil
	case holders[groupKind(object.GetAPIVersion(), object.GetKind())].resumed(object):
		return change, true // its queue manager decides when it starts
	}
	return change, unstructured.SetNestedField(change, false, path...) == nil
}
