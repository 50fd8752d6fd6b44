package submit

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
)

// stamp has the fields that a job gets in addition to the manifest.
type stamp struct {
	user, namespace, template, key string
	again                          bool
	retry                          *RetryOf
}

// ofServer are the fields of metadata that servers write. A manifest has them if it was
// read from a server.
var ofServer = []string{
	"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds",
}

// ofEarlier are the annotations and labels of an earlier submission or cancellation. A
// manifest has them if it was read from a server. The new job must not seem cancelled or
// repeated because of them.
var ofEarlier = []string{
	job.RequestKeyAnnotation, job.RetryOfAnnotation, job.RetryOfNameAnnotation, job.RetryRootLabel, job.AttemptAnnotation,
	job.CancelledByAnnotation, job.CancelReasonAnnotation, job.CancelledAtAnnotation, job.CancelAnnotation,
}

// clean removes the fields of an earlier submission from an object, and returns the names
// of the removed marks.
func clean(object *unstructured.Unstructured) (marks []string) {
	for _, field := range ofServer {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(object.Object, "status")
	unhold(object)
	for _, kind := range []string{"annotations", "labels"} {
		for _, name := range ofEarlier {
			if _, ok, _ := unstructured.NestedFieldNoCopy(object.Object, "metadata", kind, name); ok {
				unstructured.RemoveNestedField(object.Object, "metadata", kind, name)
				marks = append(marks, name)
			}
		}
	}
	return marks
}

// checkShape returns the first field of metadata with a wrong type, and the problem, or
// "". It removes fields that are null, which means not written.
func checkShape(object *unstructured.Unstructured) (field, problem string) {
	if object.Object["metadata"] == nil {
		object.Object["metadata"] = map[string]any{}
	}
	metadata, ok := object.Object["metadata"].(map[string]any)
	if !ok {
		return "metadata", "metadata is not a mapping"
	}
	for _, name := range []string{"name", "generateName", "namespace", "labels", "annotations"} {
		value, written := metadata[name]
		if written && value == nil {
			delete(metadata, name)
			continue
		}
		_, isText := value.(string)
		_, isMap := value.(map[string]any)
		mapping := name == "labels" || name == "annotations"
		switch {
		case written && mapping && !isMap:
			return "metadata." + name, "metadata." + name + " is not a mapping"
		case written && !mapping && !isText:
			return "metadata." + name, fmt.Sprintf("metadata.%s is %v, which is not text; put it in quotes", name, value)
		}
	}
	return "", ""
}

// apply gives the object its namespace, its name and the marks of the request, and returns
// warnings.
//
// Errors: metadata.annotations or metadata.labels is not a mapping.
func (s *stamp) apply(object *unstructured.Unstructured) (warnings []string, err error) {
	object.SetNamespace(s.namespace)
	s.rename(object)
	annotations := map[string]string{job.SubmitterAnnotation: s.user, job.RequestKeyAnnotation: s.key}
	labels := map[string]string{job.UserLabel: labelValue(s.user)}
	if s.template != "" {
		labels[job.TemplateLabel] = labelValue(s.template)
	}
	if r := s.retry; r != nil {
		annotations[job.RetryOfAnnotation], annotations[job.RetryOfNameAnnotation] = r.UID, r.Name
		annotations[job.AttemptAnnotation] = strconv.Itoa(r.Attempt)
		labels[job.RetryRootLabel] = r.Root
	}
	claimed, named, _ := unstructured.NestedString(object.Object, "metadata", "annotations", job.SubmitterAnnotation)
	label, _, _ := unstructured.NestedString(object.Object, "metadata", "labels", job.UserLabel)
	switch {
	case named && claimed != s.user:
		warnings = append(warnings, fmt.Sprintf("the manifest names %s as submitter; the job is submitted as %s", claimed, s.user))
	case label != "" && label != labelValue(s.user):
		warnings = append(warnings, fmt.Sprintf("the label %s of the manifest is %s; the job is submitted as %s", job.UserLabel, label, s.user))
	}
	for name, value := range labels {
		if value == "" { // no character is valid in a label
			unstructured.RemoveNestedField(object.Object, "metadata", "labels", name)
			continue
		}
		if err := unstructured.SetNestedField(object.Object, value, "metadata", "labels", name); err != nil {
			return nil, err
		}
	}
	for name, value := range annotations {
		if err := unstructured.SetNestedField(object.Object, value, "metadata", "annotations", name); err != nil {
			return nil, err
		}
	}
	return warnings, nil
}

// rename gives the object the name that is derived from the key. A generateName stays, so
// that the server checks it; the name takes precedence.
func (s *stamp) rename(object *unstructured.Unstructured) {
	name, prefix := object.GetName(), object.GetGenerateName()
	switch {
	case name != "" && !s.again:
		return
	case name != "":
		prefix = name[:min(len(name), maxBase-1)] + "-"
	case prefix == "" && s.template != "":
		prefix = labelValue(strings.ToLower(s.template)) + "-"
	case prefix == "":
		prefix = strings.ToLower(object.GetKind()) + "-"
	}
	object.SetName(nameOf(prefix, s.user, s.namespace, s.key))
}

// labelValue returns the part of a text that is valid as a label value: letters, digits,
// "-", "_" and "." with a letter or digit at both ends, and at most 63 characters. It may
// be empty.
func labelValue(text string) string {
	value := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, text)
	value = strings.Trim(value, "-_.")
	return strings.TrimRight(value[:min(len(value), 63)], "-_.")
}
