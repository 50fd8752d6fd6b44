package kube_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// panickingTransport panics in each request.
type panickingTransport struct{}

// RoundTrip implements http.RoundTripper.
func (panickingTransport) RoundTrip(*http.Request) (*http.Response, error) { panic("on purpose") }

// TestPanickingTransport: a panic of a transport of the program is the error of the request.
func TestPanickingTransport(t *testing.T) {
	cfg := &rest.Config{Host: "http://127.0.0.1:1", WrapTransport: func(http.RoundTripper) http.RoundTripper { return panickingTransport{} }}
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	_, err = pods.Get(t.Context(), wire.Key{Namespace: "default", Name: "a"})
	if err == nil || !strings.Contains(err.Error(), "the transport panicked: on purpose, in kube_test.panickingTransport.RoundTrip") {
		t.Errorf("Get returned %v, want the panic", err)
	}
}
