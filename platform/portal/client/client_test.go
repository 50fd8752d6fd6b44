package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/livestream"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/recordapi"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/portal/writeapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect returns a client of a server with a handler.
func connect(t *testing.T, o client.Options, h http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	o.HTTP = &http.Client{Transport: transport}
	c, err := client.New(server.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// document returns the OpenAPI document of all operations.
func document() *huma.OpenAPI {
	a := web.NewAPI(http.NewServeMux(), "v0")
	readapi.Register(a, readapi.Config{Index: jobindex.New(jobindex.Config{})})
	livestream.New(livestream.Config{}).Register(a)
	writeapi.Register(a, writeapi.Config{})
	recordapi.Register(a, recordapi.Config{})
	return a.OpenAPI()
}

// call calls each method of a client with zero values, and returns the number of methods.
func call(t *testing.T, c *client.Client) (called int) {
	t.Helper()
	v := reflect.ValueOf(c)
	for _, m := range v.Methods() {
		if m.Type().NumIn() == 0 {
			continue // Address
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for n := 1; n < m.Type().NumIn(); n++ {
			arg := reflect.New(m.Type().In(n)).Elem()
			switch in := arg.Interface().(type) {
			case string:
				arg.SetString("x")
			case int64:
				arg.SetInt(1)
			case api.JobRef:
				in.Cluster, in.UID = "x", "x"
				arg.Set(reflect.ValueOf(in))
			}
			args = append(args, arg)
		}
		called++
		out := m.Call(args)
		if m.Type().Out(0).Kind() == reflect.Func { // a sequence
			for range out[0].Seq2() {
				break
			}
		}
	}
	return called
}

// TestEveryOperation: each operation of the OpenAPI document has a method, and so has each
// constant path of package api.
func TestEveryOperation(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", api.ProblemType)
		if strings.HasSuffix(r.URL.Path, api.PathSession) && r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"csrf":"c"}`))
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"type":"urn:vedette:problem:unknown","title":"no"}`))
	})
	if n := call(t, c); n < 40 {
		t.Errorf("only %d methods", n)
	}
	variable := regexp.MustCompile(`\{[a-z]+\}`)
	operations := 0
	for path, item := range document().Paths {
		for method, op := range map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodDelete: item.Delete} {
			if op == nil {
				continue
			}
			operations++
			pattern := regexp.MustCompile("^" + method + " " + variable.ReplaceAllString(path, "[x1]") + "$")
			if !slices.ContainsFunc(seen, pattern.MatchString) {
				t.Errorf("no method calls %s %s (%s)", method, path, op.OperationID)
			}
		}
	}
	if operations < 40 {
		t.Errorf("only %d operations", operations)
	}
}

// TestNoContent: an answer without content is not an error.
func TestNoContent(t *testing.T) {
	c := connect(t, client.Options{Token: func(context.Context) (string, error) { return "t", nil }}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	if err := c.SignOut(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestProblems: a refusal of the portal is returned as its problem, and the answer of another
// server becomes a problem of the client.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		media, body string
		status      int
		want        string
	}{
		{api.ProblemType, `{"type":"urn:vedette:problem:denied","title":"No","detail":"You may not.","status":403,"role":"kind: Role"}`, 403, api.ProblemDenied},
		{api.ProblemType + "; charset=utf-8", `{"type":"urn:vedette:problem:loading","title":"Wait","status":503,"done":0.5}`, 503, api.ProblemLoading},
		{"text/html", "<html>nginx</html>", 502, api.ProblemFault},
		{"application/json", "{", 200, api.ProblemFault},
		{"", "", 401, api.ProblemSignIn},
		{api.ProblemType, "no JSON", 500, api.ProblemFault},
	} {
		cl := connect(t, client.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.media)
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		_, err := cl.Operations(t.Context())
		var p *api.Problem
		if !errors.As(err, &p) || p.Type != c.want || p.Error() == "" {
			t.Errorf("answer %d %s: got %v, want a problem of type %s", c.status, c.body, err, c.want)
		}
	}
}

// TestToken: the token is sent only to the portal, and not in clear text over a network.
func TestToken(t *testing.T) {
	token := func(context.Context) (string, error) { return "secret-token", nil }
	for _, address := range []string{"http://portal.example.com", "ftp://x", "https://u:p@x", "https://x?y=z", "", "://", "https://"} {
		if c, err := client.New(address, client.Options{Token: token}); err == nil {
			t.Errorf("%q is accepted: %v", address, c)
		}
	}
	for _, address := range []string{"https://portal.example.com/below/", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost"} {
		if _, err := client.New(address, client.Options{Token: token}); err != nil {
			t.Errorf("%s: got %v, want the address accepted", address, err)
		}
	}
	stolen := ""
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen = r.Header.Get("Authorization") }))
	defer thief.Close()
	sent := ""
	c := connect(t, client.Options{Token: token}, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Authorization")
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	})
	if _, err := c.Operations(t.Context()); err == nil || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("a redirect: got %v, want an error without the token", err)
	}
	if stolen != "" || sent != "Bearer secret-token" {
		t.Errorf("sent %q, and to somebody else %q", sent, stolen)
	}
	broken := errors.New("expired")
	c = connect(t, client.Options{Token: func(context.Context) (string, error) { return "", broken }}, func(http.ResponseWriter, *http.Request) {})
	if _, err := c.Operations(t.Context()); !errors.Is(err, broken) {
		t.Errorf("Operations: got error %v, want %v", err, broken)
	}
}

// TestPaths: no value selects another path.
func TestPaths(t *testing.T) {
	for _, value := range []string{"a/b", "..", ".", "../../operations", "a?b=c", "a#b", "%2e%2e", "ü ", "\x00", "{uid}", "a%2Fb"} {
		got := ""
		c := connect(t, client.Options{}, func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI })
		_, _ = c.Job(t.Context(), api.JobRef{Cluster: "c", UID: value}, nil)
		raw, ok := strings.CutPrefix(got, api.Prefix+"/jobs/c/")
		if back, err := url.PathUnescape(raw); !ok || err != nil || back != value || strings.ContainsAny(raw, "/?#") || raw == "." || raw == ".." {
			t.Errorf("UID %q became %s, want it as one part of the path", value, got)
		}
	}
}

// TestForgery: without a token, writes have the CSRF token of the session, and get a new one if
// the portal has another.
func TestForgery(t *testing.T) {
	var mu sync.Mutex
	current, sessions, writes := "one", 0, 0
	c := connect(t, client.Options{}, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			sessions++
			_ = json.NewEncoder(w).Encode(api.Session{CSRF: current})
		case r.Header.Get("X-Vedette-CSRF") != current:
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(api.Problem{Type: api.ProblemForgery, Title: "no"})
		default:
			writes++
			_ = json.NewEncoder(w).Encode(api.Act{Done: "done"})
		}
	})
	for _, token := range []string{"one", "one", "two"} {
		mu.Lock()
		current = token
		mu.Unlock()
		if act, err := c.Stop(t.Context(), api.JobRef{Cluster: "c", UID: "u"}, api.StopRequest{}); err != nil || act.Done != "done" {
			t.Errorf("token %s: got error %v, want the stop done", token, err)
		}
	}
	if sessions != 2 || writes != 3 {
		t.Errorf("got %d sessions and %d writes, want 2 and 3", sessions, writes)
	}
}
