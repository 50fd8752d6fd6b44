package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/webhook"
)

// TrainJob is a custom type.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec TrainJobSpec `json:"spec"`
}

// TrainJobSpec is its specification.
type TrainJobSpec struct {
	Replicas int    `json:"replicas"`
	Queue    string `json:"queue,omitempty"`
}

// One webhook sets a default, and another checks a limit. A program with a manager.Manager
// adds the server with AddServer("webhooks", server.Run).
func Example() {
	dir, err := os.MkdirTemp("", "certs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if _, err := webhook.SelfSigned(dir, "localhost"); err != nil { // in a cluster, cert-manager writes the files
		fmt.Println(err)
		return
	}
	server, err := webhook.New(webhook.Config{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for path, h := range map[string]webhook.Handler{
		"/mutate-trainjob": webhook.Mutate(func(_ context.Context, r *webhook.Request[TrainJob]) error {
			if r.Object.Spec.Queue == "" {
				r.Object.Spec.Queue = "default"
			}
			return nil
		}),
		"/validate-trainjob": webhook.Validate(func(_ context.Context, r *webhook.Request[TrainJob]) error {
			if n := r.Object.Spec.Replicas; n > 100 {
				return webhook.Deny("spec.replicas is %d; at most 100 are allowed", n)
			}
			return nil
		}),
	} {
		if err := server.Handle(path, h); err != nil {
			fmt.Println(err)
			return
		}
	}
	// A main function calls server.Run(ctx); here the reviews come from the example.
	for _, path := range []string{"/mutate-trainjob", "/validate-trainjob"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
			"request":{"uid":"1","operation":"CREATE","object":{"metadata":{"name":"bert"},"spec":{"replicas":500}}}}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.Contains(w.Body.String(), "at most 100 are allowed"))
	}
	// Output:
	// 200 false
	// 200 true
}

// A custom resource that is stored as v1 and still served as v1alpha1. Two conversions
// suffice for each further version.
func ExampleConvert() {
	type old struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Workers int `json:"workers"`
	}
	handler := webhook.Convert(
		webhook.From("v1alpha1", "v1", func(from *old, to *TrainJob) error {
			to.Spec.Replicas = from.Workers
			return nil
		}),
		webhook.From("v1", "v1alpha1", func(from *TrainJob, to *old) error {
			to.Workers = from.Spec.Replicas
			return nil
		}),
	)
	fmt.Println(handler != nil) // server.Handle("/convert", handler)
	// Output: true
}
