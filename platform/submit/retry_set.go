package submit

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// setAll applies changes of the form path=value to a manifest, in order.
//
// Errors: errcode.Invalid.
func setAll(m *manifest.Manifest, changes []string) error {
	for _, change := range changes {
		path, value, ok := strings.Cut(change, "=")
		if !ok {
			return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the change %.80q has no =", change), Remedy: "write it as in spec.parallelism=4"}
		}
		var err error
		if path == "image" {
			err = setImage(m.Object, value)
		} else if err = m.Set(path, value); err != nil {
			err = &errcode.Error{Code: errcode.Invalid, Problem: err.Error()}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setImage sets the image of the only container of each pod template.
//
// Errors: errcode.Invalid for a job without pod templates, or with several containers
// in one of them.
func setImage(object *unstructured.Unstructured, image string) error {
	var all []map[string]any
	several := false
	eachTemplate(object.Object["spec"], func(template map[string]any) {
		containers, _, _ := unstructured.NestedFieldNoCopy(template, "spec", "containers")
		list, _ := containers.([]any)
		several = several || len(list) != 1
		for _, c := range list {
			if container, ok := c.(map[string]any); ok {
				all = append(all, container)
			}
		}
	})
	switch {
	case len(all) == 0:
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("this %s has no container whose image could be set", object.GetKind()), Remedy: "name the whole path, as in spec.trainer.image=…"}
	case several:
		return &errcode.Error{Code: errcode.Invalid, Problem: "a pod of the job has several containers, and image= does not say which", Remedy: "name the whole path, as in spec.template.spec.containers[0].image=…"}
	}
	for _, container := range all {
		container["image"] = image
	}
	return nil
}
