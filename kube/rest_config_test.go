package kube_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestRESTConfigIsKept: Connect keeps the user agent and the timeout of Config.REST.
// Config.UserAgent overrides the user agent.
func TestRESTConfigIsKept(t *testing.T) {
	agents := make(chan string, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		agents <- r.UserAgent()
		<-r.Context().Done() // no response before the timeout
	}))
	defer srv.Close()
	for _, c := range []struct{ config, own, want string }{
		{"theirs/1.0", "", "theirs/1.0"},
		{"theirs/1.0", "ours/2.0", "ours/2.0"},
	} {
		cluster, err := kube.Connect(kube.Config{
			REST:      &rest.Config{Host: srv.URL, UserAgent: c.config, Timeout: 100 * time.Millisecond},
			UserAgent: c.own,
		})
		if err != nil {
			t.Fatal(err)
		}
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		ctx := patience.Context(t, "the timeout of the configuration")
		_, err = pods.Get(ctx, wire.Key{Namespace: "ml", Name: "a"})
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Errorf("got %v, and the context of the caller: %v; want %v after the timeout of the configuration", err, ctx.Err(), context.DeadlineExceeded)
		}
		if got := <-agents; got != c.want {
			t.Errorf("got user agent %q, want %q", got, c.want)
		}
		cluster.Close()
	}
}
