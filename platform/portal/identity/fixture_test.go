package identity

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/portal/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is a token of the file of the tests.
const secret = "correct-horse-battery-staple"

// fixture is a portal whose pages print the person of the request.
type fixture struct {
	*Identity
	t       *testing.T
	handler http.Handler
	logged  *bytes.Buffer
}

// shown is the answer of the portal behind the authenticator.
type shown struct {
	Name, Address, CSRF string
	Forwarded           string // headers of proxies
	Groups, Names       []string
	SignIn              api.SignIn
}

func newFixture(t *testing.T, cfg Config) *fixture {
	t.Helper()
	f := &fixture{t: t, logged: &bytes.Buffer{}}
	cfg.Logger = slog.New(slog.NewTextHandler(f.logged, nil))
	i, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	f.Identity = i
	f.handler = i.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := Of(r.Context())
		_ = json.NewEncoder(w).Encode(shown{p.Name, Address(r.Context()), i.CSRF(r.Context()), r.Header.Get("X-Forwarded-For") + r.Header.Get("X-Remote-User"), p.Groups, p.Names, p.SignIn})
	}))
	return f
}

// tokens writes a token file.
func tokens(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// anna is a file with the one token of anna.
const anna = "tokens:\n- name: anna\n  groups: [team-llm]\n  names: [anna@example.com]\n  token: " + secret + "\n"

// request returns a request for the portal at localhost.
func request(method, path string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://localhost:8790"+path, nil)
	r.RemoteAddr = "127.0.0.1:4000"
	for n := 0; n < len(headers); n += 2 {
		if headers[n] == "Host" {
			r.Host = headers[n+1]
			continue
		}
		r.Header.Add(headers[n], headers[n+1])
	}
	return r
}

func (f *fixture) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w
}

// status sends a request and returns the status of the answer.
func (f *fixture) status(method, path string, headers ...string) int {
	return f.send(request(method, path, headers...)).Code
}

// want sends a request that must be accepted, and returns its person.
func (f *fixture) want(r *http.Request) shown {
	f.t.Helper()
	w := f.send(r)
	var s shown
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || w.Code != http.StatusOK {
		f.t.Fatalf("%s %s: got status %d and %s, want 200 and JSON", r.Method, r.URL, w.Code, w.Body)
	}
	return s
}

// problem sends a request that must be refused, and returns the problem.
func (f *fixture) problem(r *http.Request) api.Problem {
	f.t.Helper()
	w := f.send(r)
	var p api.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Type == "" {
		f.t.Fatalf("%s %s: %d %s is not a problem document", r.Method, r.URL, w.Code, w.Body)
	}
	return p
}

// paste signs in with the form, and returns the answer.
func (f *fixture) paste(token string, headers ...string) *httptest.ResponseRecorder {
	r := request("POST", "/auth/token", append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
	r.Body = io.NopCloser(strings.NewReader("token=" + token + "&to=%2Fjobs%3Fstate%3DFailed"))
	return f.send(r)
}

// cookies returns the cookies of an answer as a header.
func cookies(w *httptest.ResponseRecorder) string {
	var all []string
	for _, c := range w.Result().Cookies() {
		if c.MaxAge >= 0 {
			all = append(all, c.Name+"="+c.Value)
		}
	}
	return strings.Join(all, "; ")
}
