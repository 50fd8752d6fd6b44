// Package v1alpha1 has a Go type whose package says its version.
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Job is not the built-in one.
type Job struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}
