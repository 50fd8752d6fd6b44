package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestDoctor checks the findings of doctor if nothing is wrong.
func TestDoctor(t *testing.T) {
	testinput.Uncached(t)
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	srv.create(newPod("ml", "a"))
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	args := []string{"doctor", "pods", "--selector", "", "--kubeconfig", srv.kubeconfig, "--db", url, "--rules", "../../examples/record/rules.yaml", "-o", "json"}
	out, _ := ended(t, 0, args...)
	found := verdicts(t, out)
	host := strings.TrimPrefix(srv.url, "http://")
	for name, want := range map[string]preflight.Check{
		"database file":    {Verdict: preflight.Passed, Found: "does not exist yet"},
		"vedette rules":    {Verdict: preflight.Passed, Found: "Experiment.example.com"},
		host + " version":  {Verdict: preflight.Passed, Found: "Kubernetes v1.37.0"},
		host + " clock":    {Verdict: preflight.Passed, Found: "agrees with the local clock"},
		host + " identity": {Verdict: preflight.Passed, Found: "kube-system has the UID"},
		host + " rights":   {Verdict: preflight.Passed, Found: "may list and watch pods in ml"},
	} {
		if got := found[name]; got.Verdict != want.Verdict || !strings.Contains(got.Found, want.Found) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", url)
	recorded(t, url, "pods", "a")
	p.interrupt()
	keepLog(t, url)
	out, _ = ended(t, 0, args...)
	found = verdicts(t, out)
	for name, want := range map[string]string{
		"database version": "SQLite 3.", "database clock": "agrees", "database schema": "the newest", "database writing": "rolled back",
		"database kept logs": "1 log with 1 line take ",
		host + " resume":     "the server has all later changes",
	} {
		if got := found[name]; got.Verdict != preflight.Passed || !strings.Contains(got.Found, want) {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if _, text := ended(t, 1, "doctor", "pods", "-o", "xml"); !strings.Contains(text, `unknown output format "xml"; use json`) {
		t.Errorf("doctor -o xml: said %q, want that only json is known", text)
	}
}

// TestDoctorNamespaces: if people sign in to the portal of a recorder, doctor warns of a new namespace that
// shows the history of an older one.
func TestDoctorNamespaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		denied bool
		flags  []string
		want   preflight.Check
	}{
		{flags: []string{"--sign-in-tokens", "tokens.yaml"}, want: preflight.Check{}},
		{flags: []string{"--listen", ":0", "--sign-in-tokens", "tokens.yaml"}, want: preflight.Check{Verdict: preflight.Passed, Found: "does not show"}},
		{flags: []string{"--listen", ":0", "--sign-in-tokens", "tokens.yaml", "--rights=false"}, denied: true, want: preflight.Check{}},
		{flags: []string{"--listen", ":0", "--sign-in-tokens", "tokens.yaml"}, denied: true, want: preflight.Check{Verdict: preflight.Warning, Found: "may not get and list namespaces", Remedy: "trusts their names"}},
	} {
		srv := recordable(t, apitest.Config{Authorize: func(r apitest.Request) error {
			if c.denied && r.Resource.Resource == "namespaces" && r.Name == "" {
				return errors.New("not you")
			}
			return nil
		}})
		out, _ := ended(t, 0, append([]string{"doctor", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:" + filepath.Join(t.TempDir(), "h.db"), "-o", "json"}, c.flags...)...)
		got := verdicts(t, out)[strings.TrimPrefix(srv.url, "http://")+" namespaces"]
		if got.Verdict != c.want.Verdict || !strings.Contains(got.Found, c.want.Found) || !strings.Contains(got.Remedy, c.want.Remedy) {
			t.Errorf("%q, denied %v: got %+v, want %+v", c.flags, c.denied, got, c.want)
		}
	}
}

// TestDoctorFinds checks that doctor reports problems with remedies, and ends with 1 if a check
// fails.
func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{Window: 4, Release: "v1.27.16", Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "jobs" && r.Verb == "watch" || r.Resource.Resource == "pods" && r.Verb == "get" && r.Name == "" {
			return errors.New("not you")
		}
		return nil
	}})
	pod := newPod("ml", "a")
	srv.create(pod)
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", url)
	recorded(t, url, "pods", "a")
	p.interrupt()
	for i := range 10 { // more than the server remembers
		srv.phase(pod, corev1.PodRunning, fmt.Sprint(i))
	}
	if err := os.Chmod(strings.TrimPrefix(url, "sqlite:"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := file(t, "vedette.yaml", fmt.Sprintf(`
db: %s
clusters:
- name: here
  kubeconfig: %s
  resources: [{type: pods, namespaces: ml}, {type: jobs}, {type: podz}]
- name: there
  kubeconfig: %s
  resources: [{type: pods, selector: a=b}]
`, url, srv.kubeconfig, srv.kubeconfig))
	out, text := ended(t, 1, "doctor", "--config", config)
	if text != "vedette: 3 checks have failed\n" {
		t.Errorf("doctor with three mistakes: said %q, want 3 failed checks", text)
	}
	for _, want := range []string{
		"warning | database | file | other users of this machine may use ",
		"warning | here | version | Kubernetes v1.27.16 at ",
		"failed | here | type podz | ",
		"failed | here | rights | may not watch jobs.batch in all namespaces (not you); grant these verbs",
		"the server has forgotten the changes after it; the recorder will list, write every difference and record a gap",
		"failed | there | rights | may not get pods in all namespaces with a=b (not you)",
	} {
		if got := strings.Join(rows(out), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	// With wait-for-types a missing type is not a failure.
	out, _ = ended(t, 1, "doctor", "--config", config, "--wait-for-types")
	if got := strings.Join(rows(out), "\n"); !strings.Contains(got, "warning | here | type podz | ") {
		t.Errorf("doctor --wait-for-types: got %s, want a warning for type podz", got)
	}
}

// TestIdentityIsNeeded checks that doctor and record fail with the same error and remedy without
// the right to identify the cluster.
func TestIdentityIsNeeded(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "namespaces" {
			return errors.New("not you")
		}
		return nil
	}})
	args := []string{"pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	host := strings.TrimPrefix(srv.url, "http://")
	out, _ := ended(t, 1, append([]string{"doctor", "-o", "json"}, args...)...)
	got := verdicts(t, out)[host+" identity"]
	want := "get namespaces kube-system at " + host + `: namespaces "kube-system" is forbidden: `
	remedy := "not you; the UID of this namespace identifies the cluster: grant the right to get it"
	if got.Verdict != preflight.Failed || !strings.HasPrefix(got.Found, want) || !strings.HasSuffix(got.Found, remedy) {
		t.Errorf("identity check: got %+v, want it failed, with the denied request and the remedy", got)
	}
	if _, text := ended(t, 1, append([]string{"record"}, args...)...); text != "vedette: "+got.Found+"\n" {
		t.Errorf("record says %s, doctor %s", text, got.Found)
	}
}

// TestCompatibleSchema checks that a newer schema that declares itself compatible is used.
func TestCompatibleSchema(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	ended(t, 0, "migrate", "up", "--db", url)
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO vedette_schema (version_id, is_applied) VALUES (9999, 1)")
		_, also := tx.Exec(t.Context(), "INSERT INTO schema_compatibility (step, oldest_step) VALUES (9999, 1)")
		return errors.Join(err, also)
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if out, _ := ended(t, 0, "migrate", "status", "--db", url); !regexp.MustCompile(`(?m)^09999 +\S+ \S+ by a newer version$`).MatchString(out) {
		t.Errorf("migrate status: got %s, want 9999 by a newer version", out)
	}
	ended(t, 0, "migrate", "up", "--db", url)
	srv := recordable(t, apitest.Config{})
	out, _ := ended(t, 0, "doctor", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", url, "-o", "json")
	if got := verdicts(t, out)["database schema"]; got.Found != "has migration 9999, of a newer version that this version works with" {
		t.Errorf("schema check: got %+v, want a compatible newer migration", got)
	}
}

// TestNewerSchema checks that all commands refuse a newer schema, and write nothing.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	path := filepath.Join(t.TempDir(), "h.db")
	if _, text := ended(t, 1, "history", "pods/x", "--db", "sqlite:"+path); !strings.Contains(text, "the file does not exist") {
		t.Errorf("history without a file: said %q, want that the file does not exist", text)
	}
	ended(t, 0, "migrate", "up", "--db", "sqlite:"+path)
	d, err := sqldb.Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SQL().ExecContext(t.Context(), "INSERT INTO vedette_schema (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"record", "pods"}, {"record", "pods", "--dry-run"}, {"doctor", "pods"}, {"history", "pods/x"}, {"migrate", "status"}, {"migrate", "up"}} {
		before := files(t, filepath.Dir(path))
		all := append(args, "--db", "sqlite:"+path)
		if args[0] == "record" || args[0] == "doctor" {
			all = append(all, "--kubeconfig", srv.kubeconfig)
		}
		out, text := ended(t, 1, all...)
		if !strings.Contains(out+text, "the schema of the database is newer than this program: it is at step 9999") {
			t.Errorf("%v on a newer schema: got %s%s, want that the schema is newer", args, out, text)
		}
		if after := files(t, filepath.Dir(path)); after["h.db"] != before["h.db"] {
			t.Errorf("%v: the database was changed", args)
		}
	}
}
