package apitest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

func TestListen_ServesAndComesBack(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, pod("a"))
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []*rest.Config{{Host: url, QPS: -1}, srv.RESTConfig()} {
		pods := clientset(t, cfg).CoreV1().Pods("")
		stream, err := pods.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, stream, "ADDED a 2")
		srv.Unavailable()
		expect(t, stream, "end")
		if _, err = pods.List(t.Context(), metav1.ListOptions{}); !utilnet.IsConnectionRefused(err) {
			t.Errorf("while the server is away: got %v, want connection refused", err)
		}
		if err = srv.Available(); err != nil {
			t.Fatal(err)
		}
		if list, err := pods.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
			t.Errorf("after the server is back: got %v and error %v, want one Pod", list, err)
		}
	}
	srv.Close()
	if _, err = srv.Listen("127.0.0.1:0"); !errors.Is(err, apitest.ErrClosed) {
		t.Errorf("listen after close: %v", err)
	}
	if err = srv.Available(); !errors.Is(err, apitest.ErrClosed) {
		t.Errorf("available after close: %v", err)
	}
	if _, err = srv.Dial(t.Context(), "", ""); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial after close: %v", err)
	}
}

func TestAccess_TokensAndRights(t *testing.T) {
	srv := start(t, apitest.Config{
		Tokens: map[string]string{"secret": "alice"},
		Authorize: func(r apitest.Request) error {
			switch {
			case r.Resource.Resource == "secrets":
				return errors.New(r.User + " may not " + string(r.Verb))
			case r.Namespace == "gone":
				return apierrors.NewServiceUnavailable("not now")
			}
			return nil
		},
	})
	ctx, cfg := background(t), srv.RESTConfig()
	for token, want := range map[string]func(error) bool{"": apierrors.IsUnauthorized, "wrong": apierrors.IsUnauthorized, "secret": noError} {
		cfg := rest.CopyConfig(cfg)
		cfg.BearerToken = token
		if _, err := clientset(t, cfg).CoreV1().Pods("").List(ctx, metav1.ListOptions{}); !want(err) {
			t.Errorf("token %q: got %v, want another answer", token, err)
		}
	}
	cfg.BearerToken = "secret"
	client := clientset(t, cfg).CoreV1()
	if _, err := client.Secrets("").Watch(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("watch of secrets: got %v, want it forbidden", err)
	}
	if _, err := client.Pods("gone").List(ctx, metav1.ListOptions{}); !apierrors.IsServiceUnavailable(err) {
		t.Errorf("list in namespace gone: got %v, want it unavailable", err)
	}
}

func noError(err error) bool { return err == nil }

func TestRequests_TellWhatWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{RequestLog: 3})
		factory := informers.NewSharedInformerFactory(clientset(t, srv.RESTConfig()), 0)
		factory.Core().V1().Pods().Informer()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		factory.Start(ctx.Done())
		synctest.Wait()
		inject(t, srv, apitest.Fault{Match: watchingPods, Action: apitest.InStreamError(apitest.Failure(410, 0))})
		cancel()
		factory.Shutdown()
		pods := clientset(t, srv.RESTConfig()).CoreV1().Pods("default")
		for range 2 {
			_, err := pods.Get(t.Context(), "a", metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				t.Errorf("got error %v, want NotFound", err)
			}
		}
		if _, err := pods.UpdateStatus(t.Context(), pod("a"), metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("UpdateStatus: got error %v, want NotFound", err)
		}
		var got []string
		for _, r := range srv.Requests() {
			got = append(got, string(r.Verb)+" "+r.Resource.Resource+" "+r.Namespace+" "+r.Name+" "+r.Subresource)
		}
		want := []string{"get pods default a ", "get pods default a ", "update pods default a status"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("got a difference (-want +got):\n%s", diff)
		}
	})
}

func TestPaths_ThatLeadNowhere(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, pod("a"))
	client := rawClient(t, srv)
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/healthz", 200},
		{"GET", "/readyz", 200},
		{"GET", "/livez", 200},
		{"GET", "/apis/apps", 200},
		{"GET", "/apis/nope", 404},
		{"GET", "/apis/apps/v9", 404},
		{"GET", "/openapi/v2", 404},
		{"GET", "/", 404},
		{"GET", "/api/v1/nopes", 404},
		{"GET", "/api/v1/namespaces/default/nodes", 404},
		{"GET", "/api/v1/pods/a", 404},
		{"GET", "/api/v1/namespaces/default/pods/a/exec", 404},
		{"GET", "/api/v1/namespaces/default/pods/a/status", 200},
		{"GET", "/api/v1/namespaces/default/configmaps/a/status", 404},
		{"GET", "/api/v1/namespaces/default/pods/a/b/c", 404},
		{"GET", "/api/v1/namespaces/default/status", 404},
		{"POST", "/api/v1/pods", 405},
		{"DELETE", "/api/v1/namespaces/default/pods/a/status", 405},
		{"PUT", "/api/v1/namespaces/default/pods", 405},
		{"POST", "/api/v1/namespaces/default/pods", 400},
	} {
		response := client.open(t, c.method, c.path, acceptJSON, nil)
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != c.code {
			t.Errorf("%s %s: got status %d and error %v, want %d", c.method, c.path, response.StatusCode, err, c.code)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://apitest/api/v1/namespaces/default/pods", strings.NewReader("pod"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "text/plain")
	response, err := client.http.Do(request)
	if err != nil || response.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: got %v and error %v, want status 415", response, err)
	}
	_ = response.Body.Close()
}

func TestClose_EndsWatchesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{})
		if err != nil {
			t.Fatal(err)
		}
		create(t, srv, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
		stream := watchPods(t, srv.RESTConfig(), metav1.ListOptions{})
		srv.Close()
		srv.Close()
		expect(t, stream, "end")
	})
}
