package apitest_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// TestBackup checks that a restored server has the objects, the version and the continuation of its backup,
// and that it can be restored twice.
func TestBackup(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	named := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
	}
	create := func(name string) uint64 {
		if _, err := srv.Create(named(name)); err != nil {
			t.Fatal(err)
		}
		return srv.Version()
	}
	old := create("old")
	restore := srv.Backup()
	for range 2 {
		create("lost")
		if err := srv.Delete(named("old")); err != nil {
			t.Fatal(err)
		}
		if err := restore(); err != nil {
			t.Fatal(err)
		}
		if _, err := srv.Get(named("old")); err != nil || srv.Version() != old {
			t.Errorf("got version %d and %v, want the object at version %d", srv.Version(), err, old)
		}
		if _, err := srv.Get(named("lost")); !apierrors.IsNotFound(err) {
			t.Errorf("got %v, want a lost object", err)
		}
	}
	if got := create("new"); got != old+1 {
		t.Errorf("the next change has version %d, want %d", got, old+1)
	}
}
