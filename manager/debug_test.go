package manager_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/manager"
)

// freeAddress returns an address of the loopback interface that nobody uses.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ask returns the status and the body of an answer. host is the header Host.
func ask(t *testing.T, url, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestDebug: /debug/vedette shows stores, the queue, keys that fail and reconciles with their
// reasons, escapes texts of others, has no object, and answers this machine only.
func TestDebug(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	at := freeAddress(t)
	m := newManager(t, srv, manager.Config{Debug: at})
	pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
		if r.Key.Name == "bad" {
			return controller.Terminal(errors.New("broken \x1b[31m<script>" + strings.Repeat("x", 5000)))
		}
		return nil
	}}
	if err := m.AddController(cfg, controller.Objects(pods)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"good", "bad"} {
		p := pod(name)
		p.Spec.Containers = []corev1.Container{{Name: "main", Image: "image-of-the-body"}}
		if _, err := srv.Create(p); err != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	defer func() {
		end()
		if err := patience.Receive(t, "the end of Run", done, nil); err != nil {
			t.Error(err)
		}
	}()
	url := "http://" + at + "/debug/vedette"
	var doc struct {
		Stores []struct {
			Type                string
			Objects             int
			RawBytes, HeldBytes int64
		}
		Controllers []struct {
			Failing []struct {
				Key, Err string
				GivenUp  bool
			}
			Ended []struct {
				Key, Outcome string
				Reasons      []string
			}
		}
	}
	patience.Until(t, "two reconciles", func() string {
		status, text := ask(t, url+"?format=json", "")
		if status != http.StatusOK {
			return text
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(doc.Controllers) != 1 || len(doc.Controllers[0].Ended) < 2 {
			return text
		}
		return ""
	})
	c := doc.Controllers[0]
	if s := doc.Stores[0]; s.Type != "Pod.v1." || s.Objects != 2 || s.RawBytes == 0 || s.HeldBytes == 0 {
		t.Errorf("got the store %+v", s)
	}
	if len(c.Failing) != 1 || c.Failing[0].Key != "default/bad" || !c.Failing[0].GivenUp || !strings.HasPrefix(c.Failing[0].Err, "broken") || len(c.Failing[0].Err) > 1100 {
		t.Errorf("got the failing keys %+v", c.Failing)
	}
	for _, e := range c.Ended {
		want := map[string]string{"default/good": "done", "default/bad": "terminal"}[e.Key]
		if e.Outcome != want || len(e.Reasons) != 1 || !strings.HasPrefix(e.Reasons[0], "Pod.v1. initial default/") {
			t.Errorf("got the reconcile %+v", e)
		}
	}
	for _, format := range []string{"", "?format=json"} {
		status, text := ask(t, url+format, "localhost:80")
		if status != http.StatusOK || strings.Contains(text, "image-of-the-body") || strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "default/bad") {
			t.Errorf("%q: got %d and %q", format, status, text)
		}
	}
	for _, host := range []string{"evil.example.com", "10.0.0.1:8080"} {
		if status, text := ask(t, url, host); status != http.StatusForbidden {
			t.Errorf("host %s: got %d and %q, want 403", host, status, text)
		}
	}
}

// TestDebugAddress: /debug/vedette is not served where other machines may reach it.
func TestDebugAddress(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	for _, address := range []string{":6060", "0.0.0.0:6060", "10.0.0.1:6060", "example.com:6060", "127.0.0.1"} {
		if _, err := manager.New(manager.Config{Name: "x", Debug: address}); err == nil || !strings.Contains(err.Error(), "Config.Debug") {
			t.Errorf("Debug %q: got %v, want an error", address, err)
		}
	}
	for _, test := range []struct {
		listen string
		want   int
	}{{"127.0.0.1:", http.StatusOK}, {"0.0.0.0:", http.StatusNotFound}} {
		at := freeAddress(t)
		_, port, _ := net.SplitHostPort(at)
		m := newManager(t, srv, manager.Config{Listen: test.listen + port})
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- m.Run(ctx) }()
		patience.Until(t, "an answer", func() string {
			if status, text := ask(t, "http://"+at+"/healthz", ""); status != http.StatusOK {
				return text
			}
			return ""
		})
		if status, text := ask(t, "http://"+at+"/debug/vedette", ""); status != test.want {
			t.Errorf("Listen %s: got %d and %q, want %d", test.listen, status, text, test.want)
		}
		end()
		if err := patience.Receive(t, "the end of Run", done, nil); err != nil {
			t.Error(err)
		}
	}
}
