package kube_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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

// TestWarningsAreLogged: without a function, each distinct warning of a server is logged once,
// and at most 1,000 are.
func TestWarningsAreLogged(t *testing.T) {
	next := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, text := range []string{"the same", fmt.Sprint("number ", next)} {
			w.Header().Add("Warning", fmt.Sprintf("299 - %q", text))
		}
		next++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"ml","name":"x"}}`)
	}))
	defer srv.Close()
	var log bytes.Buffer
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	jobs := client[batchv1.Job](t, cluster, kube.ClientConfig{})
	for range 2000 {
		if _, err := jobs.Get(t.Context(), ml); err != nil {
			t.Fatal(err)
		}
	}
	text := log.String()
	if n := strings.Count(text, "the same"); n != 1 || !strings.Contains(text, "number 998") {
		t.Errorf("a warning was logged %d times, want once, and the first 999 others", n)
	}
	if n := strings.Count(text, "\n"); n != 1000 || !strings.Contains(text, "later warnings of it are not logged") {
		t.Errorf("got %d lines, want 1000, of which the last one says that it is the last", n)
	}
}
