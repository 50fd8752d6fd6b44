package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/demo"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// portalAnswer sends a request with the local token of the user to a portal, and returns the status
// and the body.
func portalAnswer(t *testing.T, method, url, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	token, err := localtoken.Read()
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// awaitJob waits until the list of a portal has a job in a state.
func awaitJob(t *testing.T, base, query string) {
	t.Helper()
	patience.Until(t, "a job matches "+query, func() string {
		status, text := portalAnswer(t, http.MethodGet, base+"/api/v1/jobs?"+query, "")
		var list api.JobList
		if err := json.Unmarshal([]byte(text), &list); status == http.StatusOK && err == nil && list.Matching.N > 0 {
			return ""
		}
		return fmt.Sprint(status, " ", text)
	})
}

// TestDemoPortal checks that the demo prints the address of a portal that shows changing jobs, and
// submits jobs where the user of the demo may.
func TestDemoPortal(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := start(t, "demo", "--jobs", "0", "--speed", "10", "--no-messages", "--listen", "127.0.0.1:0")
	at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	p.err.until(t, "the address", func(text string) bool { return at.MatchString(text) })
	base := at.FindString(p.err.String())
	awaitJob(t, base, "state=Running")
	awaitJob(t, base, "state=Succeeded")
	_, text := portalAnswer(t, http.MethodGet, base+"/api/v1/session", "")
	var session api.Session
	if err := json.Unmarshal([]byte(text), &session); err != nil || !session.Demo || !session.MaySubmit {
		t.Fatalf("session: error %v, answer %s; want a demo that may submit", err, text)
	}
	for namespace, want := range map[string]int{demo.Team: http.StatusOK, "team-vision": http.StatusForbidden} {
		job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: by-page, namespace: " + namespace + "}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: main, image: busybox, command: [sleep, \"5\"]}]\n"
		body, err := json.Marshal(api.SubmitRequest{Cluster: "demo", YAML: job})
		if err != nil {
			t.Fatal(err)
		}
		if status, text := portalAnswer(t, http.MethodPost, base+"/api/v1/submit", string(body), "Content-Type", "application/json", identity.HeaderCSRF, session.CSRF); status != want {
			t.Errorf("submit in %s: got status %d and %s, want %d", namespace, status, text, want)
		}
	}
	awaitJob(t, base, "name=by-page")
	p.interrupt()
}

// TestRecordPortal checks that a recorder shows the portal on a loopback address, and on other
// addresses only if users must sign in.
func TestRecordPortal(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	srv.create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}})
	tokens := file(t, "tokens.yaml", "tokens:\n- name: ann\n  token: correct-horse-battery-staple\n")
	at := regexp.MustCompile(`health and metrics at http://\S+?:(\d+)`)
	for _, c := range []struct {
		name  string
		args  []string
		shown bool
	}{
		{"loopback", []string{"--listen", "127.0.0.1:0"}, true},
		{"switched off", []string{"--listen", "127.0.0.1:0", "--portal=false"}, false},
		{"all addresses", []string{"--listen", "0.0.0.0:0"}, false},
		{"all addresses with tokens", []string{"--listen", "0.0.0.0:0", "--sign-in-tokens", tokens}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
			p := start(t, append([]string{"record", "jobs", "-A", "--kubeconfig", srv.kubeconfig, "--db", db}, c.args...)...)
			p.err.holds(t, "Ctrl-C ends it")
			base := "http://127.0.0.1:" + at.FindStringSubmatch(p.err.String())[1]
			if status, _ := portalAnswer(t, http.MethodGet, base+"/healthz", ""); status != http.StatusOK {
				t.Errorf("/healthz: got status %d, want 200", status)
			}
			if _, text := portalAnswer(t, http.MethodGet, base+"/metrics", ""); !strings.Contains(text, "vedette_record_ready") || strings.Contains(text, "vedette_portal_streams") != c.shown {
				t.Errorf("/metrics: got %s, want the recorder's metrics, and those of the portal: %t", text, c.shown)
			}
			status, _ := portalAnswer(t, http.MethodGet, base+"/api/v1/session", "")
			switch {
			case !c.shown && status != http.StatusNotFound:
				t.Errorf("a portal without sign-in: %d", status)
			case c.shown && strings.Contains(c.name, "tokens") && status != http.StatusUnauthorized:
				t.Errorf("without a token: %d", status)
			case c.shown && !strings.Contains(c.name, "tokens"):
				awaitJob(t, base, "name=train")
			}
			if strings.Contains(p.err.String(), "the portal at ") != c.shown {
				t.Errorf("address of the portal shown: want %t, said %s", c.shown, p.err)
			}
			p.interrupt()
		})
	}
}

// TestTraceURL checks that the address of traces has a placeholder for the ID, and uses HTTP or
// HTTPS.
func TestTraceURL(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://jaeger.example.com/trace/{trace}": true, "http://grafana/explore?left=%7B%22query%22:%22{trace}%22%7D": true,
		"https://jaeger.example.com/trace/": false, "javascript:alert('{trace}')": false, "//host/{trace}": false, "https://{trace}\n": false,
	} {
		o := portalFlags{traceURL: text}
		var cfg portal.Config
		if err := o.fill(&cfg, "127.0.0.1:0"); (err == nil) != ok {
			t.Errorf("trace URL %s: got error %v, want it accepted: %t", text, err, ok)
		}
		if ok {
			want := strings.ReplaceAll(text, "{trace}", jobtrace.TraceID("cluster", "job"))
			if got := cfg.TraceURL("cluster", "job"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}
