package tunnel_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/metrics"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
)

// TestRateLimiter: a list waits for the limiter of its client, without an error, until
// its context ends. A watch does not wait.
func TestRateLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config(&server{answer: pods})
		cfg.QPS, cfg.RateLimiter = 0, flowcontrol.NewTokenBucketRateLimiter(0.1, 1)
		src := source(podFunctions(clientset(t, cfg)))
		start := time.Now()
		checkBoth(t, src)
		if waited := time.Since(start); waited > 0 {
			t.Errorf("the first list waited for %v", waited)
		}
		checkBoth(t, src)
		if waited := time.Since(start); waited.Round(time.Millisecond) != 10*time.Second {
			t.Errorf("the second list waited for %v", waited)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, nil)
		defer cancel()
		if _, err := src.List(ctx, metav1.ListOptions{}); err == nil {
			t.Error("a list whose context has ended had no error")
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := src.List(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a list that was cancelled returned %v", err)
		}
	})
}

// TestTooManyRequests: client-go repeats a request after a 429 as the server asks.
func TestTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusals := 0
		srv := &server{}
		srv.answer = func(req *http.Request) (*http.Response, error) {
			if refusals++; refusals%4 != 0 {
				return respond(http.StatusTooManyRequests, "{}", "Retry-After", "3"), nil
			}
			return pods(req)
		}
		start := time.Now()
		checkBoth(t, source(podFunctions(clientset(t, config(srv)))))
		if waited, n := time.Since(start), len(srv.seen()); waited != 18*time.Second || n != 8 {
			t.Errorf("%d requests took %v, want 8 in 18s", n, waited)
		}
	})
}

// TestRefusal: other answers become the errors of client-go.
func TestRefusal(t *testing.T) {
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		return respond(http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`), nil
	}}
	src := source(podFunctions(clientset(t, config(srv))))
	if _, err := src.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the list returned %v", err)
	}
	if _, err := src.Watch(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the watch returned %v", err)
	}
}

// silence answers when the context of the request ends, with the error that HTTP/1.1 or
// HTTP/2 has then.
func silence(http2 bool) *server {
	return &server{answer: func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		if http2 {
			return nil, req.Context().Err()
		}
		return nil, context.Cause(req.Context())
	}}
}

// TestTimeoutBeforeHeaders: client-go makes an empty watch of a timeout. The source
// returns the error.
func TestTimeoutBeforeHeaders(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := silence(http2)
				cfg := config(srv)
				cfg.Timeout = 2 * time.Second
				fs := podFunctions(clientset(t, cfg))
				src := source(fs)
				var timeout interface{ Timeout() bool }
				if _, err := src.Watch(t.Context(), metav1.ListOptions{}); !errors.As(err, &timeout) || !timeout.Timeout() {
					t.Errorf("the watch returned %v, want a timeout", err)
				}
				if n := len(srv.seen()); n != 11 {
					t.Errorf("client-go sent %d requests; it does not repeat after timeouts as it did", n)
				}
				if _, err := src.List(t.Context(), metav1.ListOptions{}); !errors.As(err, &timeout) || !timeout.Timeout() {
					t.Errorf("the list returned %v, want a timeout", err)
				}
			})
		})
	}
}

// TestRequestTimeout: the timeout of a single request is reported as a timeout.
func TestRequestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := source(podFunctions(clientset(t, config(silence(true)))))
		if _, err := src.List(t.Context(), metav1.ListOptions{TimeoutSeconds: ptr.To(int64(2))}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the list returned %v, want a timeout", err)
		}
	})
}

// late is a body that waits before it is read, and ends with its request.
type late struct {
	ctx  context.Context
	wait time.Duration
	text io.Reader
}

func (b *late) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.wait):
		b.wait = 0
		return b.text.Read(p)
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
}

func (b *late) Close() error { return nil }

// TestBodiesOutliveTimeouts: the timeouts of a client and of a request end with the call
// of client-go, as they do in client-go for watches.
func TestBodiesOutliveTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{answer: func(req *http.Request) (*http.Response, error) {
			resp, _ := pods(req)
			resp.Body = &late{req.Context(), time.Minute, resp.Body}
			return resp, nil
		}}
		cfg := config(srv)
		cfg.Timeout = 5 * time.Second
		src := source(podFunctions(clientset(t, cfg)))
		list, err := src.List(t.Context(), metav1.ListOptions{TimeoutSeconds: ptr.To(int64(3))})
		if got := read(t, list, err); got != onePod {
			t.Errorf("the list is %q", got)
		}
		events, err := src.Watch(t.Context(), metav1.ListOptions{TimeoutSeconds: ptr.To(int64(3))})
		if got := read(t, events, err); got != oneEvent {
			t.Errorf("the watch is %q", got)
		}
	})
}

// TestRefusalsKeepTheirTimeout: an answer that is not taken ends with the call of
// client-go, or a server that does not end its error would hold it up.
func TestRefusalsKeepTheirTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{answer: func(req *http.Request) (*http.Response, error) {
			resp := respond(http.StatusInternalServerError, "")
			resp.Body = &late{req.Context(), time.Hour, strings.NewReader("{}")}
			return resp, nil
		}}
		cfg := config(srv)
		cfg.Timeout = 5 * time.Second
		start := time.Now()
		if _, err := source(podFunctions(clientset(t, cfg))).List(t.Context(), metav1.ListOptions{}); err == nil {
			t.Error("the list had no error")
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("the list took %v", took)
		}
	})
}

// codes counts the status codes that client-go reports.
type codes map[string]int

func (c codes) Increment(_ context.Context, code, _, _ string) { c[code]++ }

// TestMetrics: rest_client_requests_total has the status codes of the server.
func TestMetrics(t *testing.T) {
	counts := codes{}
	before := metrics.RequestResult
	metrics.RequestResult = counts
	defer func() { metrics.RequestResult = before }()
	refused := false
	srv := &server{answer: func(req *http.Request) (*http.Response, error) {
		if !refused {
			refused = true
			return respond(http.StatusUnauthorized, "{}"), nil
		}
		return pods(req)
	}}
	src := source(podFunctions(clientset(t, config(srv))))
	if _, err := src.List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("the list returned %v", err)
	}
	checkBoth(t, src)
	if counts["401"] != 1 || counts["200"] != 2 || len(counts) != 2 {
		t.Errorf("client-go counted %v", counts)
	}
}

// TestRefresh: transports that renew credentials after a 401 see it, inside of the tunnel
// and outside.
func TestRefresh(t *testing.T) {
	for _, place := range []string{"inside", "outside"} {
		t.Run(place, func(t *testing.T) {
			srv := &server{answer: func(req *http.Request) (*http.Response, error) {
				if req.Header.Get("Authorization") != "Bearer 2" {
					return respond(http.StatusUnauthorized, "{}"), nil
				}
				return pods(req)
			}}
			plugin := func(below http.RoundTripper) http.RoundTripper { return &renewing{below: below, token: "1"} }
			var cfg *rest.Config
			if place == "inside" {
				cfg = config(plugin(srv))
			} else {
				cfg = config(srv)
				cfg.Wrap(plugin)
			}
			src := source(podFunctions(clientset(t, cfg)))
			if _, err := src.List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
				t.Errorf("the list returned %v", err)
			}
			checkBoth(t, src)
		})
	}
}

// TestTokenFile: a token that was replaced in its file is read again within a minute, as
// client-go does.
func TestTokenFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{Tokens: map[string]string{"1": "first", "2": "second"}})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := srv.RESTConfig()
		cfg.BearerTokenFile = file
		src := source(podFunctions(clientset(t, tunnel.Wrap(cfg))))
		list, err := src.List(t.Context(), metav1.ListOptions{})
		read(t, list, err)
		if err := os.WriteFile(file, []byte("2"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = srv.Inject(apitest.Fault{
			Match: apitest.Match{Where: func(r apitest.Request) bool { return r.User == "first" }}, Times: apitest.Always,
			Action: apitest.Respond(apierrors.NewUnauthorized("it is old").Status()),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := src.List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
			t.Errorf("the list returned %v", err)
		}
		<-time.After(time.Minute)
		list, err = src.List(t.Context(), metav1.ListOptions{})
		read(t, list, err)
	})
}

// renewing gets another token after a 401, like exec plugins.
type renewing struct {
	below http.RoundTripper
	token string
}

func (r *renewing) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.below.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		r.token = "2"
	}
	return resp, err
}
