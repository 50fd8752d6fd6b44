// Package v1alpha1 has a Go type in a package that is named after its version.
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Job is a custom type with the name of a built-in type.
type Job struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}
