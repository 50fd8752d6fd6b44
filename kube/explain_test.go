package kube_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
)

// resolving returns the error of a first lookup of a type.
func resolving(t *testing.T, cfg *rest.Config) error {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	_, err = cluster.Resolve(t.Context(), "widgets") // built-in types would not need discovery
	return err
}

// listing returns the error of a first list.
func listing(t *testing.T, cfg *rest.Config) error {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	coll, err := cluster.Collection(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod", Scope: kube.Namespaced, Verbs: []string{"list", "watch"}}, kube.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = coll.List(t.Context(), metav1.ListOptions{})
	return err
}

func TestExplain(t *testing.T) {
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // TLS errors are expected
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Please log in</body></html>")
	}))
	defer login.Close()
	tlsOnly := strings.Replace(secure.URL, "https:", "http:", 1)
	pods := schema.GroupResource{Resource: "pods"}
	for _, c := range []struct {
		name string
		err  error
		want []string
	}{
		{"no server", resolving(t, &rest.Config{Host: "http://" + closed.Addr().String()}), []string{"no server answers", closed.Addr().String(), "--context"}},
		{"an unknown authority", resolving(t, &rest.Config{Host: secure.URL}), []string{"authority", "certificate-authority-data"}},
		{"no TLS", resolving(t, &rest.Config{Host: strings.Replace(plain.URL, "http:", "https:", 1)}), []string{"http"}},
		{"plain text to a TLS server", listing(t, &rest.Config{Host: tlsOnly}), []string{"TLS", "https"}},
		{"a login page for discovery", resolving(t, &rest.Config{Host: login.URL}), []string{"login", "address"}},
		{"a login page for a list", listing(t, &rest.Config{Host: login.URL}), []string{"list pods at", "text/html", "does not come from an API server", "login", "address"}},
		{"a refused client certificate", fmt.Errorf("get: %w", tls.AlertError(42)), []string{"TLS", "client certificate"}},
		{"an unknown path", apierrors.NewGenericServerResponse(404, "list", pods, "", "", 0, true), []string{"address", "serves this type"}},
		{"an expired certificate", fmt.Errorf("get: %w", x509.CertificateInvalidError{Reason: x509.Expired}), []string{"clock"}},
		{"an unknown host name", fmt.Errorf("get: %w", &net.DNSError{Name: "api.example", Err: "no such host"}), []string{"api.example", "VPN"}},
		{"401", apierrors.NewUnauthorized("who are you?"), []string{"401", "log in"}},
		{"403", apierrors.NewForbidden(pods, "", errors.New("user x may not list")), []string{"403", "user x may not list", "-n"}},
		{"400", apierrors.NewBadRequest("unknown field"), []string{"400", "unknown field", "selectors"}},
		{"an unknown type", &kube.UnknownResourceError{Host: "h", Name: "pdos", Near: []string{"pods"}}, []string{"pdos", "did you mean pods?", "api-resources"}},
		{"too slow", fmt.Errorf("get: %w", context.DeadlineExceeded), []string{"in time", "VPN"}},
		{"a missing credential plugin", fmt.Errorf("get: %w", exec.ErrNotFound), []string{"credential plugin", "install"}},
		{"a forbidden write", &kube.RequestError{Host: "h", Verb: "create", Resource: "pods", Err: apierrors.NewForbidden(pods, "", errors.New("user x may not")), Remedy: "request the permission to create pods"}, []string{"create pods at h", "request the permission to create pods"}},
		{"a write that is invalid", &kube.RequestError{Host: "h", Verb: "create", Resource: "pods", Err: apierrors.NewBadRequest("no such field")}, []string{"create pods at h: no such field"}},
		{"another status", apierrors.NewInternalError(errors.New("boom")), []string{"boom"}},
		{"anything else", errors.New("some\n thing"), []string{"some thing"}},
		{"a status for the terminal", apierrors.NewForbidden(pods, "", errors.New("\x1b[2J\u009b2J\u202egnp.\xff")), []string{`\x1b[2J\u009b2J\u202egnp.\xff`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := kube.Explain(c.err)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want it to contain %q", got, want)
				}
			}
			if strings.ContainsAny(got, "\n\t") {
				t.Errorf("got several lines: %q", got)
			}
			remedy := kube.Remedy(c.err)
			if strings.Contains(remedy, " -") {
				t.Errorf("the remedy of a library names a flag: %q", remedy)
			}
			if !strings.Contains(got, remedy) {
				t.Errorf("got %q, want it to contain the remedy %q", got, remedy)
			}
		})
	}
	if kube.Explain(nil) != "" || kube.Remedy(nil) != "" {
		t.Error("got a text for a nil error")
	}
}
