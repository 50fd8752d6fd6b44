package watchview

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Object is an object of any type with all its fields, including those that are newer
// than this program.
type Object = unstructured.Unstructured
