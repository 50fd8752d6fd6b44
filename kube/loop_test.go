package kube_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
)

// loopServer gives the same answer to every request for pods.
type loopServer struct {
	asked atomic.Int64
	body  func(n int64) string
}

// RoundTrip implements http.RoundTripper.
func (h *loopServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	switch {
	case r.URL.Path == "/api":
		body = `{"kind":"APIVersions","versions":["v1"]}`
	case r.URL.Path == "/apis":
		body = `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`
	case r.URL.Path == "/api/v1":
		body = `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list","watch"]}]}`
	default:
		body = h.body(h.asked.Add(1))
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func (h *loopServer) pods(t *testing.T) *kube.Client[corev1.Pod] {
	cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: &rest.Config{Host: "http://hostile", Transport: h}}))
	return client[corev1.Pod](t, cluster, kube.ClientConfig{})
}

// TestWatchBacksOff checks that a client does not send requests in a tight loop to a
// server that ends every watch at once.
func TestWatchBacksOff(t *testing.T) {
	for name, body := range map[string]func(n int64) string{
		"nothing": func(int64) string { return "" },
		"an old event": func(int64) string {
			return `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"1"}}}`
		},
		"new events": func(n int64) string {
			return fmt.Sprintf(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"%d"}}}`, 5+n)
		},
		"the same again": func(int64) string {
			return `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"5"}}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &loopServer{body: body}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				err := firstError(h.pods(t).Watch(ctx, kube.Where{}, 5))
				n := h.asked.Load()
				if progress := name == "new events"; progress && (ctx.Err() == nil || n > 600) || !progress && (ctx.Err() != nil || n != 10) {
					t.Errorf("got %v after %d requests, want an error after ten watches without progress, and at most 600 requests in ten minutes", err, n)
				}
			})
		})
	}
}

// TestListEnds checks that a list that would never end returns an error.
func TestListEnds(t *testing.T) {
	item := `{"metadata":{"name":"x","resourceVersion":"5"}}`
	for name, body := range map[string]func(n int64) string{
		"the same token": func(int64) string {
			return `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"p"},"items":[` + item + `]}`
		},
		"two tokens": func(n int64) string {
			return fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"p%d"},"items":[%s]}`, n%2, item)
		},
		"empty pages": func(n int64) string {
			return fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"p%d"},"items":[]}`, n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &loopServer{body: body}
			objects := 0
			var failed error
			for _, err := range h.pods(t).List(t.Context(), kube.Where{}) {
				if objects++; objects > 20 {
					break
				}
				failed = err
			}
			if failed == nil || !strings.Contains(failed.Error(), "does not end") || h.asked.Load() > 10 {
				t.Errorf("got %d requests and error %v", h.asked.Load(), failed)
			}
		})
	}
}
