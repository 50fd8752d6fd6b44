package kube_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
)

// TestWarnings checks that warnings of the server, and only these, are passed to the
// function of the context, and that the parameter fieldValidation is as configured.
func TestWarnings(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Warning", `299 - "unknown field \"spec.x\""`)
		w.Header().Add("Warning", `112 - "disconnected"`)
		w.Header().Add("Warning", `not a warning`)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"ml","name":"a","annotations":{"asked":%q}}}`, r.URL.Query().Get("fieldValidation"))
	}))
	defer srv.Close()
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "a"}}
	for validation, want := range map[kube.Validation]string{kube.ServerValidation: "", kube.RejectUnknown: "Strict", kube.DropUnknown: "Ignore"} {
		jobs := client[batchv1.Job](t, cluster, kube.ClientConfig{Validation: validation})
		var warned []string
		made, err := jobs.Create(kube.WithWarnings(t.Context(), func(text string) { warned = append(warned, text) }), job)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(warned, []string{`unknown field "spec.x"`}) || made.Annotations["asked"] != want {
			t.Errorf("got warnings %q; fieldValidation %q, want %q", warned, made.Annotations["asked"], want)
		}
		if _, err := jobs.Create(t.Context(), job); err != nil {
			t.Error(err)
		}
	}
}
