package informer

import (
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestBuiltinGroups holds the groups that are derived from Go packages against
// the scheme of client-go.
func TestBuiltinGroups(t *testing.T) {
	n := 0
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		path, ok := strings.CutPrefix(typ.PkgPath(), builtinPackages)
		if !ok || typ.Name() != gvk.Kind || typ.Kind() != reflect.Struct {
			continue // types of apimachinery, registered in every group
		}
		folder, version, _ := strings.Cut(path, "/")
		group, renamed := builtinGroups[folder]
		if !renamed {
			group = folder
		}
		if n++; group != gvk.Group || version != gvk.Version {
			t.Errorf("%v is %s of %s, want %s of %s", typ, version, group, gvk.Version, gvk.Group)
		}
	}
	if n < 200 {
		t.Errorf("only %d types", n)
	}
}

func TestResourceOf(t *testing.T) {
	type custom struct{}
	for _, c := range []struct {
		of   func() (string, error)
		want string
	}{
		{resourceOf[corev1.Pod], "Pod.v1."},
		{resourceOf[batchv1.Job], "Job.v1.batch"},
		{resourceOf[rbacv1.Role], "Role.v1.rbac.authorization.k8s.io"},
		{resourceOf[custom], "custom"},
	} {
		if got, err := c.of(); got != c.want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, c.want)
		}
	}
	for _, of := range []func() (string, error){resourceOf[int], resourceOf[*corev1.Pod], resourceOf[struct{}]} {
		if got, err := of(); err == nil {
			t.Errorf("got %q", got)
		}
	}
}
