package submit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
)

// holdOf returns the field that keeps a job from starting.
func holdOf(object *unstructured.Unstructured) job.Field {
	return kindOf(object).HoldField(object.Object)
}

// hold changes a job so that it does not start before Release: it sets the field of its type,
// and hides its queue from Kueue, which would resume it. It returns false for a type that
// cannot be held.
func hold(object *unstructured.Unstructured) bool {
	field := holdOf(object)
	if field.Path == nil || unstructured.SetNestedField(object.Object, field.On, field.Path...) != nil {
		return false
	}
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if queue := labels[job.KueueQueueLabel]; queue != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[job.HeldQueueAnnotation] = queue
		delete(labels, job.KueueQueueLabel)
	}
	labels[job.HeldLabel] = "true"
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	return true
}

// park keeps a held job out of the default queue of the server, such as the LocalQueue
// "default" of its namespace, by naming a queue that does not exist. checked is the result
// of a dry run. park returns false if the server assigns no default queue.
func park(object, checked *unstructured.Unstructured) bool {
	queue := checked.GetLabels()[job.KueueQueueLabel]
	if queue == "" || queue == job.NoQueue {
		return false
	}
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if annotations[job.HeldQueueAnnotation] == "" {
		annotations[job.HeldQueueAnnotation] = queue
	}
	labels[job.KueueQueueLabel] = job.NoQueue
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	return true
}

// unhold restores the submitted fields in a manifest of a held job.
func unhold(object *unstructured.Unstructured) {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels[job.HeldLabel] == "" {
		return
	}
	if labels[job.KueueQueueLabel] == job.NoQueue {
		delete(labels, job.KueueQueueLabel)
	}
	if queue := annotations[job.HeldQueueAnnotation]; queue != "" {
		labels[job.KueueQueueLabel] = queue
	}
	delete(labels, job.HeldLabel)
	delete(annotations, job.HeldQueueAnnotation)
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	if field := holdOf(object); field.Path != nil {
		unstructured.RemoveNestedField(object.Object, field.Path...)
	}
}

// released returns the change that ends a hold, or a cancellation by suspension. It
// returns false if the job is neither held nor suspended.
func released(object *unstructured.Unstructured) (change map[string]any, ok bool) {
	field := holdOf(object)
	if field.Path == nil {
		return nil, false
	}
	suspended := field.Is(object.Object)
	held, claim := object.GetLabels()[job.HeldLabel] != "", claimOf(object)
	cancelled := claim.Actor != "" && claim.How == job.CancelSuspend
	if !held && !(cancelled && suspended) {
		return nil, false
	}
	labels, annotations := map[string]any{}, map[string]any{}
	if held {
		labels[job.HeldLabel], annotations[job.HeldQueueAnnotation] = nil, nil
	}
	if cancelled {
		for _, name := range []string{job.CancelledByAnnotation, job.CancelledAtAnnotation, job.CancelReasonAnnotation, job.CancelAnnotation} {
			annotations[name] = nil
		}
	}
	change = map[string]any{"metadata": map[string]any{"labels": labels, "annotations": annotations}}
	switch queue := object.GetAnnotations()[job.HeldQueueAnnotation]; {
	case held && queue != "":
		labels[job.KueueQueueLabel] = queue // Kueue resumes the job when it has quota
		return change, true
	case held && object.GetLabels()[job.KueueQueueLabel] == job.NoQueue:
		labels[job.KueueQueueLabel] = nil
	case kindOf(object).Resumed(object.Object):
		return change, true // its queue manager decides when it starts
	}
	return change, unstructured.SetNestedField(change, field.Off, field.Path...) == nil
}
