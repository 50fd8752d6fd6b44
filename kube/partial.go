package kube

import (
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/jsonchange"
)

// partialMark is the selfLink of a partial object. No server of the last years sets or stores
// this field, and every copy of an object keeps it.
const partialMark = "vedette.io/partial"

// maxNamedFields bounds how many fields an error names.
const maxNamedFields = 8

// MarkPartial marks an object as partial: somebody has removed or changed fields in order to
// save memory, so it is not the object that the server has. Update refuses it; MergeFrom and
// Mutate write only differences. Informers mark the objects of Config.Transform and Project.
// The mark is in metadata.selfLink.
func MarkPartial(obj metav1.Object) {
	if !isNil(obj) {
		obj.SetSelfLink(partialMark)
	}
}

// IsPartial reports whether an object is partial.
func IsPartial(obj metav1.Object) bool {
	return !isNil(obj) && obj.GetSelfLink() == partialMark
}

// partialError is the error for an update of a partial object. now is what the server has; nil
// if that is unknown.
func partialError(now, obj any) error {
	erased := ""
	if fields := missingFields(now, obj); len(fields) > 0 {
		erased = ", such as " + strings.Join(fields, ", ")
	}
	return &errcode.Error{
		Code:    errcode.Invalid,
		Problem: "the object is partial (see kube.MarkPartial), so the update could erase what it lacks" + erased,
		Remedy:  "use Mutate, or Patch with MergeFrom",
	}
}

// missingFields returns fields that now has and obj lacks.
func missingFields(now, obj any) []string {
	before, err := json.Marshal(now)
	if err != nil {
		return nil
	}
	after, err := json.Marshal(obj)
	if err != nil {
		return nil
	}
	change, err := jsonchange.Between(before, after, reflect.TypeOf(obj))
	if err != nil {
		return nil
	}
	var fields []string
	for _, path := range change.Removed() {
		if len(fields) < maxNamedFields && path != "metadata.managedFields" && path != "kind" && path != "apiVersion" {
			fields = append(fields, path)
		}
	}
	return fields
}
