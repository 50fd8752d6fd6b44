package tunnel_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/kube"
)

type watchInterface = watch.Interface

// TestProbe: before the first request, Probe returns nil for functions that can be reached,
// and a reason for the others.
func TestProbe(t *testing.T) {
	srv := &server{answer: pods}
	plain := clientset(t, &rest.Config{Host: "http://server", Transport: srv, QPS: -1})
	reached := podFunctions(clientset(t, config(srv)))
	own := errors.New("not today")
	watching := func(f func(context.Context, metav1.ListOptions) (watch.Interface, error)) functions {
		return functions{reached.list, f}
	}
	for name, c := range map[string]struct {
		fs       functions
		view     kube.View
		want     error
		requests int // that leave the process
	}{
		"reached":        {fs: reached},
		"another client": {fs: podFunctions(plain), want: tunnel.ErrNotReached, requests: 1},
		"a fake":         {fs: podFunctions(fake.NewClientset()), want: tunnel.ErrNotReached},
		"without context": {fs: watching(func(_ context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return reached.watch(context.Background(), opts)
		}), want: tunnel.ErrNotReached, requests: 1},
		"an error of its own": {fs: watching(func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return nil, own
		}), want: own},
		"an error in spite of the answer": {fs: watching(func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			_, err := reached.watch(ctx, opts)
			return nil, errors.Join(err, own)
		}), want: own},
		"several requests": {fs: watching(func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			if w, err := reached.watch(ctx, opts); err == nil {
				w.Stop()
			}
			return reached.watch(ctx, opts)
		}), want: tunnel.ErrSeveral},
		"filtered events":    {fs: watching(filtered(reached)), want: tunnel.ErrWrapped},
		"metadata with kind": {fs: watching(filtered(reached)), view: kube.Metadata},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(srv.seen())
			shape := podShape
			shape.View = c.view
			if err := tunnel.NewSource(c.fs, shape).Probe(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			sent := srv.seen()[before:]
			if len(sent) != c.requests {
				t.Errorf("%d requests left the process, want %d", len(sent), c.requests)
			}
			for _, req := range sent {
				if q := req.URL.Query(); q.Get("fieldSelector") != "metadata.name=vedette-probe" || q.Get("timeoutSeconds") != "1" {
					t.Errorf("a request asks for %v", q)
				}
			}
		})
	}
}

// filtered returns a watch function that drops events.
func filtered(fs functions) func(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
		w, err := fs.watch(ctx, opts)
		if err != nil {
			return nil, err
		}
		return watch.Filter(w, func(e watch.Event) (watch.Event, bool) { return e, false }), nil
	}
}

// TestNotReached: functions that stop to use the client have an error, not an empty list.
func TestNotReached(t *testing.T) {
	src := source(podFunctions(fake.NewClientset()))
	if _, err := src.List(t.Context(), metav1.ListOptions{}); !errors.Is(err, tunnel.ErrNotReached) {
		t.Errorf("the list returned %v", err)
	}
	if _, err := src.Watch(t.Context(), metav1.ListOptions{}); !errors.Is(err, tunnel.ErrNotReached) {
		t.Errorf("the watch returned %v", err)
	}
}

// TestSeveralRequests: the answers of functions that send several requests are closed,
// and the function gets no objects of one of them.
func TestSeveralRequests(t *testing.T) {
	var bodies closes
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		resp := respond(http.StatusOK, "")
		resp.Body = bodies.body(onePod)
		return resp, nil
	}}
	fs := podFunctions(clientset(t, config(srv)))
	for name, list := range map[string]func(context.Context, metav1.ListOptions) (runtime.Object, error){
		"one after another": func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			all := &corev1.PodList{}
			for range 3 {
				if one, err := fs.list(ctx, opts); err == nil {
					all.Items = append(all.Items, one.(*corev1.PodList).Items...)
				}
			}
			if len(all.Items) > 0 {
				t.Errorf("the function got %d objects", len(all.Items))
			}
			return all, nil
		},
		"at once": func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() { _, _ = fs.list(ctx, opts) })
			}
			all.Wait()
			return &corev1.PodList{}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			bodies.made, bodies.closed = 0, 0
			if _, err := source(functions{list: list}).List(t.Context(), metav1.ListOptions{}); !errors.Is(err, tunnel.ErrSeveral) {
				t.Errorf("the list returned %v", err)
			}
			if name == "one after another" && bodies.made != 1 {
				t.Errorf("%d requests left the process, want 1", bodies.made)
			}
			if bodies.made != bodies.closed {
				t.Errorf("%d of %d bodies were closed", bodies.closed, bodies.made)
			}
		})
	}
}

// TestSwallowedErrors: a function that returns an empty list in place of an error does
// not empty the store.
func TestSwallowedErrors(t *testing.T) {
	srv := &server{answer: func(*http.Request) (*http.Response, error) { return respond(http.StatusNotFound, "{}"), nil }}
	fs := podFunctions(clientset(t, config(srv)))
	src := source(functions{
		func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			_, _ = fs.list(ctx, opts)
			return &corev1.PodList{}, nil
		},
		func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			_, _ = fs.watch(ctx, opts)
			return watch.NewEmptyWatch(), nil
		},
	})
	_, listed := src.List(t.Context(), metav1.ListOptions{})
	_, watched := src.Watch(t.Context(), metav1.ListOptions{})
	for _, err := range []error{listed, watched} {
		if err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("got %v, want an error with the status", err)
		}
	}
}

// TestErrorAfterAnswer: a function that fails after it got its answer has failed.
func TestErrorAfterAnswer(t *testing.T) {
	var bodies closes
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		resp := respond(http.StatusOK, "")
		resp.Body = bodies.body(onePod)
		return resp, nil
	}}
	fs := podFunctions(clientset(t, config(srv)))
	own := errors.New("not today")
	src := source(functions{list: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		_, err := fs.list(ctx, opts)
		return nil, errors.Join(err, own)
	}})
	if _, err := src.List(t.Context(), metav1.ListOptions{}); !errors.Is(err, own) || bodies.closed != 1 {
		t.Errorf("the list returned %v, and closed %d bodies", err, bodies.closed)
	}
}

// TestParameters: versions, pages, bookmarks and timeouts are those of the engine,
// whatever a function sets; selectors are those of the function.
func TestParameters(t *testing.T) {
	srv := &server{answer: pods}
	fs := podFunctions(clientset(t, config(srv)))
	tweak := func(opts *metav1.ListOptions) {
		opts.AllowWatchBookmarks, opts.Limit, opts.ResourceVersion, opts.Continue = false, 1, "0", "x"
		opts.SendInitialEvents, opts.TimeoutSeconds = nil, ptr.To(int64(1))
		opts.LabelSelector, opts.FieldSelector = "app=web", "spec.nodeName=n"
	}
	src := source(functions{
		func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			tweak(&opts)
			return fs.list(ctx, opts)
		},
		func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			tweak(&opts)
			return fs.watch(ctx, opts)
		},
	})
	list, err := src.List(t.Context(), metav1.ListOptions{Limit: 500, ResourceVersion: "9"})
	read(t, list, err)
	events, err := src.Watch(t.Context(), metav1.ListOptions{
		ResourceVersion: "7", AllowWatchBookmarks: true, SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, TimeoutSeconds: ptr.To(int64(300)),
	})
	read(t, events, err)
	want := []string{
		"fieldSelector=spec.nodeName%3Dn&labelSelector=app%3Dweb&limit=500&resourceVersion=9&timeout=1s",
		"allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dn&labelSelector=app%3Dweb&resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=1s&timeoutSeconds=300&watch=true",
	}
	for i, req := range srv.seen() {
		if got := req.URL.RawQuery; got != want[i] {
			t.Errorf("request %d asks for %s\nwant %s", i, got, want[i])
		}
	}
}
