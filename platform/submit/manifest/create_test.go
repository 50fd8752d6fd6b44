package manifest_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

const several = `apiVersion: v1
kind: Namespace
metadata: {name: ml}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: example.com/v1
kind: Train
metadata: {name: one, namespace: ml}
spec: {workers: 2}
`

// TestCreate: all objects are created in order; a second run stops at the first object, and
// says where it is in the file.
func TestCreate(t *testing.T) {
	srv := apitest.StartWith(t, apitest.Config{Types: []apitest.Type{{Group: "example.com", Version: "v1", Kind: "Train", Namespaced: true}}})
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig(), Namespace: "team"})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	all, err := manifest.Parse(t.Context(), "deploy.yaml", []byte(several))
	if err != nil {
		t.Fatal(err)
	}
	created, err := manifest.Create(t.Context(), cluster, all...)
	if err != nil || len(created) != 3 {
		t.Fatalf("created %d objects, error %v; want 3", len(created), err)
	}
	for i, want := range []string{"/ml", "team/settings", "ml/one"} {
		if got := created[i].GetNamespace() + "/" + created[i].GetName(); got != want || created[i].GetUID() == "" {
			t.Errorf("object %d: got %s with UID %q, want %s with a UID", i, got, created[i].GetUID(), want)
		}
	}
	if all[1].Object.GetNamespace() != "" {
		t.Error("Create has changed a manifest")
	}
	created, err = manifest.Create(t.Context(), cluster, all[1:]...)
	if !apierrors.IsAlreadyExists(err) || len(created) != 0 || !strings.HasPrefix(err.Error(), "deploy.yaml:5: ") {
		t.Errorf("got %d objects and error %v, want none and \"already exists\" with the line", len(created), err)
	}
}

// TestCreateUnknown: an unknown type stops the creation after the objects before it.
func TestCreateUnknown(t *testing.T) {
	srv := apitest.Start(t)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	all, err := manifest.Parse(t.Context(), "deploy.yaml", []byte(several))
	if err != nil {
		t.Fatal(err)
	}
	created, err := manifest.Create(t.Context(), cluster, all...)
	if err == nil || len(created) != 2 || !strings.HasPrefix(err.Error(), "deploy.yaml:10: ") {
		t.Errorf("got %d objects and error %v, want 2 and an error in line 10", len(created), err)
	}
}
