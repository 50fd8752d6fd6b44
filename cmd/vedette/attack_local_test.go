package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// routes returns the operations of a portal, as "METHOD path" with values for the parameters.
func routes(t *testing.T) (all []string) {
	t.Helper()
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "routes.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := portal.New(portal.Config{DB: d, Identity: identity.Config{InsecureLoopback: true}})
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range p.API().OpenAPI().Paths {
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for method, op := range map[string]bool{"GET": item.Get != nil, "POST": item.Post != nil, "PUT": item.Put != nil, "PATCH": item.Patch != nil, "DELETE": item.Delete != nil} {
			if op {
				all = append(all, method+" "+path)
			}
		}
	}
	if len(all) < 40 {
		t.Fatalf("got %d operations: %v", len(all), all)
	}
	return append(all, "GET /", "GET /index.html", "GET /jobs", "GET /jobs/c/u", "GET /find/a/b/c/d", "GET /api", "GET /api/v1/openapi.json", "GET /api/v1/nothing", "GET /assets", "GET /nothing", "POST /", "POST /assets/x", "HEAD /jobs")
}

// asStranger sends a request as a local user who does not have the token.
func asStranger(t *testing.T, method, url string, header ...string) (int, string) {
	t.Helper()
	return portalAnswer(t, method, url, "", append([]string{"Authorization", ""}, header...)...)
}

// TestAttackLocalUser plays another user of the machine against each program that shows a portal
// without sign-in: all routes need the token, except four. The user who runs the program needs no
// setting, and no output has the token.
func TestAttackLocalUser(t *testing.T) {
	home(t)
	t.Setenv("TMPDIR", t.TempDir())
	srv := serve(t, apitest.Config{})
	srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	srv.create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}})
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	all := routes(t)
	for _, c := range []struct {
		name string
		said string // begins the line with the address
		args []string
	}{
		{"record", "the portal at", []string{"record", "jobs", "-A", "--kubeconfig", srv.kubeconfig, "--db", db, "--listen", "127.0.0.1:0"}},
		{"portal", "open", []string{"portal", "--db", db, "--kubeconfig", srv.kubeconfig, "--listen", "127.0.0.1:0", "--metrics"}},
		{"demo", "does not end by itself:", []string{"demo", "--jobs", "0", "--no-messages", "--listen", "127.0.0.1:0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.args...)
			address := regexp.MustCompile(regexp.QuoteMeta(c.said) + `\s+(http://127\.0\.0\.1:\d+)`)
			p.err.until(t, "the address", func(text string) bool { return address.MatchString(text) })
			base := address.FindStringSubmatch(p.err.String())[1]
			awaitReady(t, base)
			patience.Until(t, "the portal is loaded", func() string {
				if status, text := portalAnswer(t, http.MethodGet, base+"/api/v1/session", ""); status != http.StatusOK {
					return text
				}
				return ""
			})
			token, err := localtoken.Read()
			if err != nil || token == "" {
				t.Fatalf("the user has no token: %v", err)
			}
			for _, route := range all {
				method, path, _ := strings.Cut(route, " ")
				for _, header := range [][]string{nil, {"Authorization", "Bearer wrong-horse-battery-staple"}, {"X-Remote-User", "root"}} {
					if status, text := asStranger(t, method, base+path, header...); status != http.StatusUnauthorized {
						t.Errorf("%s without the token: got status %d and %.100s, want 401", route, status, text)
					}
				}
			}
			for _, path := range []string{"/healthz", "/readyz", "/licenses.txt"} {
				if status, text := asStranger(t, http.MethodGet, base+path); status != http.StatusOK {
					t.Errorf("%s: got status %d and %.100s, want 200", path, status, text)
				}
			}
			if status, _ := asStranger(t, http.MethodGet, base+"/metrics"); status != http.StatusOK && c.name != "demo" {
				t.Errorf("/metrics: got status %d, want 200", status)
			}
			patience.Until(t, "the user's jobs", func() string { // the demo submits its first jobs after its start
				out, errs := ended(t, 0, "jobs", "-A", "--server", base)
				if out == "" {
					return "got " + errs
				}
				return ""
			})
			out, _ := ended(t, 0, "portal", "url", "--server", base)
			if out != identity.LocalURL(base, token)+"\n" {
				t.Errorf("got the address %s", out)
			}
			if _, text := asStranger(t, http.MethodGet, base+"/auth/"); strings.Contains(text, token) {
				t.Error("the page has the token")
			}
			p.interrupt()
			if said := p.err.String() + p.out.String(); strings.Contains(said, token) || !strings.Contains(said, "`vedette portal url --server "+base+"`") {
				t.Errorf("want the command that prints the address, and no token: %s", said)
			}
		})
	}
}

// TestLocalUserOpens: --insecure-loopback opens a portal to all users of the machine, and says so.
func TestLocalUserOpens(t *testing.T) {
	home(t)
	r := newArchive(t)
	p := start(t, "portal", "--db", r.db, "--listen", "127.0.0.1:0", "--kubeconfig", r.srv.kubeconfig, "--insecure-loopback")
	p.err.until(t, "the address", func(text string) bool { return portalAt.MatchString(text) })
	base := portalAt.FindStringSubmatch(p.err.String())[1]
	awaitReady(t, base)
	if status, text := asStranger(t, http.MethodGet, base+"/api/v1/session"); status != http.StatusOK {
		t.Errorf("got status %d and %s, want 200", status, text)
	}
	if !strings.Contains(p.err.String(), "every user of this machine can read") {
		t.Errorf("it does not say what it opens: %s", p.err)
	}
	if token, err := localtoken.Read(); token != "" || err != nil {
		t.Errorf("it writes a token, error %v", err)
	}
	ended(t, 0, "jobs", "-A", "--server", base)
	if out, _ := ended(t, 0, "portal", "url", "--server", base); out != base+"\n" {
		t.Errorf("got the address %s, want %s", out, base)
	}
	p.interrupt()
}

// stranger is a listener of another user of the machine. It passes all requests on to a portal.
type stranger struct {
	*httptest.Server
	seen *output // all requests
}

func newStranger(t *testing.T, base string) *stranger {
	t.Helper()
	behind, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{seen: newOutput()}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(s.seen, r.Method, r.URL, r.Header) // it never fails
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return s
}

// TestAttackListener: a command sends the local token to no listener that does not know it, also if
// the listener passes the question for a proof on to the portal of the user.
func TestAttackListener(t *testing.T) {
	home(t)
	token, err := localtoken.Keep()
	if err != nil {
		t.Fatal(err)
	}
	r := newArchive(t)
	p := start(t, "portal", "--db", r.db, "--listen", "127.0.0.1:0", "--kubeconfig", r.srv.kubeconfig)
	p.err.until(t, "the address", func(text string) bool { return portalAt.MatchString(text) })
	base := portalAt.FindStringSubmatch(p.err.String())[1]
	awaitReady(t, base)
	stranger := newStranger(t, base)
	for _, args := range [][]string{{"jobs", "-A"}, {"history", "-A"}, {"portal", "url"}} {
		_, errs := ended(t, 1, append(args, "--server", stranger.URL)...)
		if !strings.Contains(errs, "local token of another user") || strings.Contains(errs, token) {
			t.Errorf("%v: said %s", args, errs)
		}
	}
	if seen := stranger.seen.String(); !strings.Contains(seen, "/auth/local/proof") || strings.Contains(seen, token) {
		t.Errorf("the listener of a stranger got %s", seen)
	}
	p.interrupt()
}

// TestOpenBrowser: the arguments of a process are public, so the browser gets the token from a file
// that only the user may read.
func TestOpenBrowser(t *testing.T) {
	path, err := redirectionTo(identity.LocalURL("http://127.0.0.1:8080", "correct-horse-battery-staple"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `content="0; url=http://127.0.0.1:8080/auth/local?token=correct-horse-battery-staple"`) {
		t.Errorf("got %s and error %v, want a redirect", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and error %v, want the mode 0600", info, err)
	}
}
