package submit

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
)

// Labels and annotations that controllers, or an earlier submission, write to a job or its
// pod templates. A copy with them would be mistaken for the original job.
var ofControllers = []string{
	"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-tracking",
	"batch.kubernetes.io/cronjob-scheduled-timestamp",
	"kueue.x-k8s.io/workload", "kueue.x-k8s.io/podset", "kueue.x-k8s.io/tas", "kueue.x-k8s.io/managed", "kueue.x-k8s.io/stopping",
	"kueue.x-k8s.io/prebuilt-workload-name", "kueue.x-k8s.io/multikueue-origin",
	"kubectl.kubernetes.io/last-applied-configuration",
	job.SubmitterAnnotation, job.UserLabel,
}

// copyOf returns a job as it was submitted, as far as the object shows it: without its
// name, its status, the marks of an earlier request, and all fields that servers,
// controllers and queue managers have written.
func copyOf(object *unstructured.Unstructured) *unstructured.Unstructured {
	c := object.DeepCopy()
	for _, field := range []string{"name", "generateName", "ownerReferences", "finalizers"} {
		unstructured.RemoveNestedField(c.Object, "metadata", field)
	}
	clean(c)
	kindOf(c).Forget(c.Object)
	forget(c.Object)
	eachTemplate(c.Object["spec"], func(template map[string]any) {
		forget(template)
		ungate(template)
	})
	return c
}

// forget removes the labels and annotations of controllers from an object or a pod template.
func forget(object map[string]any) {
	for _, kind := range []string{"labels", "annotations"} {
		for _, name := range ofControllers {
			unstructured.RemoveNestedField(object, "metadata", kind, name)
		}
		if left, ok, err := unstructured.NestedMap(object, "metadata", kind); ok && err == nil && len(left) == 0 {
			unstructured.RemoveNestedField(object, "metadata", kind)
		}
	}
}

// ungate removes the scheduling gates of Kueue from a pod template.
func ungate(template map[string]any) {
	gates, ok, err := unstructured.NestedSlice(template, "spec", "schedulingGates")
	if !ok || err != nil {
		return
	}
	gates = slices.DeleteFunc(gates, func(gate any) bool {
		g, _ := gate.(map[string]any)
		name, _ := g["name"].(string)
		return strings.HasPrefix(name, "kueue.x-k8s.io/")
	})
	unstructured.RemoveNestedField(template, "spec", "schedulingGates")
	if len(gates) > 0 {
		spec, _ := template["spec"].(map[string]any)
		spec["schedulingGates"] = gates
	}
}

// maxDepth is the maximum depth at which pod templates are found.
const maxDepth = 30

// eachTemplate calls f for every pod template in a value: a mapping whose spec has containers.
func eachTemplate(v any, f func(template map[string]any)) { eachTemplateAt(v, f, maxDepth) }

func eachTemplateAt(v any, f func(map[string]any), depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if spec, ok := v["spec"].(map[string]any); ok {
			if _, ok := spec["containers"].([]any); ok {
				f(v)
				return
			}
		}
		for _, below := range v {
			eachTemplateAt(below, f, depth-1)
		}
	case []any:
		for _, below := range v {
			eachTemplateAt(below, f, depth-1)
		}
	}
}
