package tunnel_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
)

// layer is a wrapper of a transport that notes what it sees.
type layer struct {
	below http.RoundTripper
	seen  *[]string
}

func (l layer) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.below.RoundTrip(req)
	if err != nil {
		*l.seen = append(*l.seen, err.Error())
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	*l.seen = append(*l.seen, resp.Status+string(text)+resp.Header.Get("Audit-Id"))
	resp.Body = io.NopCloser(strings.NewReader(string(text)))
	return resp, nil
}

// TestLayers: wrappers below the tunnel see the answer of the server, wrappers above it
// see its status and headers, and an empty list.
func TestLayers(t *testing.T) {
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		resp := respond(http.StatusOK, onePod, "Audit-Id", " id")
		resp.Status = "200 OK "
		return resp, nil
	}}
	var below, above []string
	cfg := &rest.Config{Host: "http://server", Transport: layer{srv, &below}, QPS: -1}
	cfg = tunnel.Wrap(cfg)
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return layer{rt, &above} })
	list, err := source(podFunctions(clientset(t, cfg))).List(t.Context(), metav1.ListOptions{})
	if got := read(t, list, err); got != onePod {
		t.Errorf("the list is %q", got)
	}
	if want := "200 OK " + onePod + " id"; len(below) != 1 || below[0] != want {
		t.Errorf("below the tunnel: %q", below)
	}
	if want := `200 OK {"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]} id`; len(above) != 1 || above[0] != want {
		t.Errorf("above the tunnel: %q", above)
	}
}

// TestTwice: of two tunnels in a chain the outer one takes the answer.
func TestTwice(t *testing.T) {
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"side by side": func(rt http.RoundTripper) http.RoundTripper { return rt },
		"apart":        func(rt http.RoundTripper) http.RoundTripper { return layer{rt, new([]string)} },
	} {
		t.Run(name, func(t *testing.T) {
			srv := &server{answer: pods}
			cfg := config(srv)
			cfg.Wrap(wrap)
			checkBoth(t, source(podFunctions(clientset(t, tunnel.Wrap(cfg)))))
			if n := len(srv.seen()); n != 2 {
				t.Errorf("the server got %d requests, want 2", n)
			}
		})
	}
}

// TestRedirect: a redirect is followed with the parameters of the engine.
func TestRedirect(t *testing.T) {
	srv := &server{}
	srv.answer = func(req *http.Request) (*http.Response, error) {
		if req.URL.Host == "server" {
			return respond(http.StatusTemporaryRedirect, "", "Location", "http://other"+req.URL.Path+"?watch="+req.URL.Query().Get("watch")), nil
		}
		if req.URL.Query().Get("watch") == "" {
			req.URL.RawQuery = ""
		}
		return pods(req)
	}
	src := source(podFunctions(clientset(t, config(srv))))
	events, err := src.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "5"})
	if got := read(t, events, err); got != oneEvent {
		t.Errorf("the watch is %q", got)
	}
	seen := srv.seen()
	if last := seen[len(seen)-1].URL; len(seen) != 2 || last.Query().Get("resourceVersion") != "5" {
		t.Errorf("%d requests, the last for %v", len(seen), last)
	}
}

// TestUnmarked: requests of other callers pass, and so do marked requests that are not GET.
func TestUnmarked(t *testing.T) {
	srv := &server{answer: pods}
	client := clientset(t, config(srv))
	list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("a list of the client has %v, %v", list, err)
	}
}

// TestCancelBeforeHeaders: a call ends with the context of the engine, also if its
// function forgot that.
func TestCancelBeforeHeaders(t *testing.T) {
	for name, of := range map[string]func(context.Context) context.Context{
		"passed on": func(ctx context.Context) context.Context { return ctx },
		"forgotten": context.WithoutCancel,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := podFunctions(clientset(t, config(silence(false))))
				src := source(functions{watch: fs.watch, list: fs.list})
				if name == "forgotten" {
					watch := fs.watch
					src = source(functions{watch: func(ctx context.Context, opts metav1.ListOptions) (w watchInterface, err error) {
						return watch(of(ctx), opts)
					}})
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() {
					_, err := src.Watch(ctx, metav1.ListOptions{})
					ended <- err
				}()
				synctest.Wait()
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("the watch returned %v", err)
				}
			})
		})
	}
}

// TestCancelBetweenHeadersAndBody: the body ends with the context of the engine, not with
// that of the call; also if nobody closes it.
func TestCancelBetweenHeadersAndBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var request context.Context
		srv := &server{answer: func(req *http.Request) (*http.Response, error) {
			request = req.Context()
			return pods(req)
		}}
		fs := podFunctions(clientset(t, config(srv)))
		src := source(functions{watch: func(ctx context.Context, opts metav1.ListOptions) (watchInterface, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return fs.watch(ctx, opts)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := src.Watch(ctx, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := request.Err(); err != nil {
			t.Errorf("the body ended with the call: %v", err)
		}
		cancel()
		synctest.Wait()
		if request.Err() == nil {
			t.Error("the request outlives the engine")
		}
	})
}

// TestCancelWithHeaders: an answer that arrives when the call has ended is closed.
func TestCancelWithHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bodies closes
		ctx, cancel := context.WithCancel(t.Context())
		srv := &server{answer: func(*http.Request) (*http.Response, error) {
			cancel()
			synctest.Wait()
			resp := respond(http.StatusOK, "")
			resp.Body = bodies.body(onePod)
			return resp, nil
		}}
		if _, err := source(podFunctions(clientset(t, config(srv)))).List(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("the list returned %v", err)
		}
		if bodies.made != 1 || bodies.closed != 1 {
			t.Errorf("%d of %d bodies were closed", bodies.closed, bodies.made)
		}
	})
}

// TestCloseEndsTheRequest: closing a body releases everything that belongs to it.
func TestCloseEndsTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var request context.Context
		srv := &server{answer: func(req *http.Request) (*http.Response, error) {
			request = req.Context()
			return pods(req)
		}}
		stream, err := source(podFunctions(clientset(t, config(srv)))).Watch(t.Context(), metav1.ListOptions{})
		read(t, stream, err)
		if request.Err() == nil {
			t.Error("the request outlives its body")
		}
	})
}
