package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestLoginKubeconfig checks that, over TLS with a private authority, each request to the portal has
// the token of the kubeconfig and the cluster of the flag, and that the token is not stored. A portal that does not accept such
// tokens does not get it, and it is never sent in plain text.
func TestLoginKubeconfig(t *testing.T) {
	home(t)
	got, named, takes := []string{}, "", true
	portal := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		named = r.Header.Get(api.HeaderCluster)
		w.Header().Set("Content-Type", "application/json")
		answer := any(api.RecordJobList{})
		switch r.URL.Path {
		case api.PathSignInMethods:
			answer = api.SignInMethods{Demanded: true, Kubernetes: takes}
		case api.Prefix + api.PathSession:
			answer = api.Session{Person: "ann", Cluster: named}
		}
		_ = json.NewEncoder(w).Encode(answer) // a client that has gone
	}))
	portal.Config.ErrorLog = log.New(io.Discard, "", 0)
	portal.StartTLS()
	t.Cleanup(portal.Close)
	ca := file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: portal.Certificate().Raw})))
	config := file(t, "config", `{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
users: [{name: u, user: {token: of-kubeconfig}}], contexts: [{name: c, context: {cluster: c, user: u}}]}`)
	run := func(want int, contains string, args ...string) {
		t.Helper()
		p := start(t, args...)
		if code := p.end(); code != want || !strings.Contains(p.err.String(), contains) || strings.Contains(p.err.String()+p.out.String(), "of-kubeconfig") {
			t.Errorf("%q: exit code %d, want %d, and %q without the token: %s%s", args, code, want, contains, p.err, p.out)
		}
	}
	run(1, "certificate", "login", "--server", portal.URL, "--with", "kubeconfig", "--kubeconfig", config)
	run(1, "--with kubeconfig", "login", "--server", portal.URL, "--server-ca", ca, "--kubeconfig", config)
	if strings.Join(got, "") != "" {
		t.Errorf("a token is sent without the flag: %q", got)
	}
	run(0, "knows you as ann", "login", "--server", portal.URL, "--server-ca", ca, "--with", "kubeconfig", "--kubeconfig", config)
	run(0, "", "jobs", "-A", "--server", portal.URL, "--server-ca", ca)
	if last := got[len(got)-1]; last != "Bearer of-kubeconfig" {
		t.Errorf("the last request has %q", last)
	}
	if named != "" {
		t.Errorf("without the flag, requests name the cluster %q", named)
	}
	run(0, "knows you as ann in the cluster prod", "login", "--server", portal.URL, "--server-ca", ca, "--with", "kubeconfig", "--kubeconfig", config, "--cluster", "prod")
	named = ""
	run(0, "", "jobs", "-A", "--server", portal.URL, "--server-ca", ca)
	if named != "prod" {
		t.Errorf("after a login with the flag, requests name the cluster %q, want prod", named)
	}
	run(1, "--cluster names the cluster of a token", "login", "--server", portal.URL, "--server-ca", ca, "--cluster", "prod")
	takes = false
	run(1, "does not accept", "login", "--server", portal.URL, "--server-ca", ca, "--with", "kubeconfig", "--kubeconfig", config)
	run(1, "in clear", "login", "--server", "http://portal.invalid:1", "--with", "token")
}
