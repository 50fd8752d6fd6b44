package access

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestSubjectKeys: each subject has a namespace of its own, by default the binding's.
func TestSubjectKeys(t *testing.T) {
	got := subjectKeys("ml", []rbacv1.Subject{
		{Kind: rbacv1.UserKind, Name: "anna"},
		{Kind: rbacv1.ServiceAccountKind, Namespace: "ci", Name: "a"},
		{Kind: rbacv1.ServiceAccountKind, Name: "b"},
		{Kind: rbacv1.GroupKind, Name: "team"},
		{Kind: "Other", Name: "x"},
		{Kind: rbacv1.UserKind, Name: "anna"},
	})
	if want := []string{"u:anna", "u:system:serviceaccount:ci:a", "u:system:serviceaccount:ml:b", "g:team"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
