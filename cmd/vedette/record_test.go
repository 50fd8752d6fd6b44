package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// recordable is a server with the namespace kube-system, which a recorder needs.
func recordable(t *testing.T, cfg apitest.Config) *platform {
	t.Helper()
	p := serve(t, cfg)
	p.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	return p
}

// files returns the contents of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[d.Name()] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBadInput checks that bad input is a one-line error with exit code 1, and writes nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "secrets" {
			return errors.New("not you")
		}
		return nil
	}})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := gone.Addr().String()
	_ = gone.Close() // now nobody answers there
	broken := file(t, "rules.yaml", "rules:\n- kind: X\n  states:\n  - when: object.a ==\n")
	junk := file(t, "junk.db", strings.Repeat("this is not a database\n", 100))
	for _, c := range []struct{ name, args, want string }{
		{"no database", "pods", "no database is named: use --db"},
		{"no URL", "pods --db history.db", `the database "history.db" is not a URL`},
		{"another kind", "pods --db oracle://u:geheim@h/x", `databases of kind "oracle" are not supported`},
		{"a malformed URL", "pods --db postgres://u:geheim%zz@h/db", "cannot be parsed: invalid URL escape \"%zz\"; escape"},
		{"a URL without database", "pods --db mysql://u:geheim@h", "names no database: use mysql://user@host/DATABASE"},
		{"PostgreSQL does not run", "pods --fail-fast --db postgres://u:geheim@" + nobody + "/h", "database postgres://u@" + nobody + "/h: no server listens at this address (connection refused); start the server"},
		{"MySQL does not run", "pods --fail-fast --db mysql://u:geheim@" + nobody + "/h", "database mysql://u@" + nobody + "/h: no server listens at this address (connection refused); start the server"},
		{"no such host", "pods --fail-fast --db mysql://u:geheim@nowhere.invalid/h", "the host nowhere.invalid cannot be found"},
		{"another way of TLS", "pods --db mysql://u:geheim@h/x?tls=maybe", "has tls=maybe; use true"},
		{"no authority", "pods --db postgres://u:geheim@h/x?sslmode=verify-full&sslrootcert=/nowhere", "failed to configure TLS (unable to read CA file: open /nowhere"},
		{"no file with the password", "pods --db mysql://u@h/x?password-file=/nowhere", "cannot read the password of the database: open /nowhere"},
		{"no folder", "pods --db sqlite:DIR/nowhere/history.db", "the directory DIR/nowhere does not exist"},
		{"a folder", "pods --db sqlite:DIR", "DIR is a directory"},
		{"no database in the file", "pods --db sqlite:" + junk, "the file is damaged, or is not an SQLite database"},
		{"no types", "--db sqlite:DIR/h.db", "name the types to record"},
		{"an empty type", "pods,,jobs --db sqlite:DIR/h.db", "the types \"pods,,jobs\" contain an empty name"},
		{"unknown type", "podz --db sqlite:DIR/h.db", `has no resource type "podz"; did you mean pods?`},
		{"no rights", "secrets --db sqlite:DIR/h.db", "no rights: may not list and watch secrets in ml (not you); grant these verbs"},
		{"an invalid namespace", "pods -n a/b --db sqlite:DIR/h.db", `the namespace "a/b" is not valid`},
		{"an invalid selector", "pods,jobs --db sqlite:DIR/h.db --selector=a(", `label selector "a("`},
		{"an unknown context", "pods --context nope --db sqlite:DIR/h.db", `the kubeconfig has no context "nope"; it has c`},
		{"a context twice", "pods --context c,c --db sqlite:DIR/h.db", `--context names "c" twice`},
		{"no kubeconfig", "pods --kubeconfig DIR/nowhere --db sqlite:DIR/h.db", "no kubeconfig at DIR/nowhere"},
		{"an invalid path", "pods --redact spec..env --db sqlite:DIR/h.db", `--redact: "spec..env" is not a field path`},
		{"JSONPath", "pods --redact $.spec[*] --db sqlite:DIR/h.db", `--redact: "$.spec[*]" is not a field path`},
		{"a required field", "pods --redact metadata.uid --db sqlite:DIR/h.db", "cannot redact metadata.uid"},
		{"logs of an invalid namespace", "pods --keep-logs jobs,namespace=a/b --db sqlite:DIR/h.db", `--keep-logs: the namespace "a/b" is not valid`},
		{"logs of an invalid type", "pods --tail-logs a/b --db sqlite:DIR/h.db", `--tail-logs: "a/b" is neither a type`},
		{"no lines of logs", "pods --keep-logs jobs --log-lines 0 --db sqlite:DIR/h.db", "--log-lines: 0 is not a valid number of lines"},
		{"no size of logs", "pods --keep-logs jobs --max-job-logs x --db sqlite:DIR/h.db", `--max-job-logs: "x" is not a size`},
		{"no size of all logs", "pods --keep-logs jobs --max-logs x --db sqlite:DIR/h.db", `--max-logs: "x" is not a size`},
		{"nothing to redact", "pods --redact-logs x --db sqlite:DIR/h.db", "--redact-logs: no logs are kept"},
		{"broken rules", "pods --rules " + broken + " --db sqlite:DIR/h.db", "rules.yaml:4: in \"object.a ==\", at column 12: Syntax error"},
		{"no rules", "pods --rules DIR/nowhere --db sqlite:DIR/h.db", "read the file with the rules: open DIR/nowhere"},
		{"a file instead of a folder", "pods --spill " + junk + " --db sqlite:DIR/h.db", "--spill: the spill folder cannot be created: mkdir"},
		{"no configuration", "pods --config DIR/nowhere", "the file of --config or VEDETTE_CONFIG cannot be read"},
		{"an invalid address", "pods --listen here --db sqlite:DIR/h.db", "--listen here: listen tcp: address here: missing port"},
		{"an address that is taken", "pods --listen " + taken.Addr().String() + " --db sqlite:DIR/h.db", "address already in use; use a free address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			args := strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))
			if !strings.Contains(c.args, "--kubeconfig") {
				args = append(args, "--kubeconfig", srv.kubeconfig)
			}
			out, text := ended(t, 1, append([]string{"record"}, args...)...)
			first, rest, _ := strings.Cut(text, "\n")
			if !strings.HasPrefix(first, "vedette: ") || !strings.Contains(first, strings.ReplaceAll(c.want, "DIR", dir)) {
				t.Errorf("got %s\nwant %s", text, c.want)
			}
			if rest != "" && rest != "vedette: nothing was recorded; with --wait-for-types, the recorder starts with the rest\n" {
				t.Errorf("more than one line: %s", text)
			}
			if strings.Contains(text+out, "geheim") {
				t.Errorf("the output has the password: %s", text)
			}
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("something was written: %v", left)
			}
		})
	}
}

// TestDryRun checks that a dry run prints the plan, and writes nothing, with and without an existing
// database.
func TestDryRun(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	srv.create(newPod("ml", "a"))
	dir := t.TempDir()
	args := []string{"record", "pods,jobs", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:" + filepath.Join(dir, "h.db")}
	out, _ := ended(t, 0, append(args, "--dry-run")...)
	for _, want := range []string{"--db", "does not exist yet; `vedette record` creates it", "may list and watch pods in ml", "Nothing was written."} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("something was written: %v", left)
	}
	p := start(t, args...)
	p.err.holds(t, "recording pods in ml")
	recorded(t, args[5], "pods", "a")
	p.interrupt()
	before := files(t, dir)
	out, _ = ended(t, 0, append(args, "--dry-run")...)
	if !regexp.MustCompile(`pods in ml: at version \d+, reached \S+ ago; the server has all later changes`).MatchString(out) {
		t.Errorf("no resume point:\n%s", out)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Error("the folder has changed: ", len(diff))
	}
	if out, _ = ended(t, 1, append(args, "--dry-run", "--selector", "a=b", "--context", "c,d")...); strings.Contains(out, "Nothing was written") {
		t.Errorf("an unknown context passes:\n%s", out)
	}
}

// recorded waits until an object is in the database.
func recorded(t *testing.T, url, resource, name string) history.Object {
	t.Helper()
	return recordedAs(t, url, resource, name, func(history.Object) bool { return true })
}

// recordedAs waits until an object in the database satisfies a condition.
func recordedAs(t *testing.T, url, resource, name string, ok func(history.Object) bool) (found history.Object) {
	t.Helper()
	patience.Until(t, resource+" "+name+" is recorded", func() string {
		db, err := sqldb.Read(t.Context(), url)
		if err != nil {
			return err.Error()
		}
		plural, group, _ := strings.Cut(resource, ".")
		page, err := history.New(db).Objects(t.Context(), history.ObjectName{Type: history.Type{Resource: plural, Group: group}, Namespace: "ml", Name: name}, history.Paging{})
		err = errors.Join(err, db.Close())
		if len(page.Items) > 0 && ok(page.Items[0]) {
			found = page.Items[0]
			return ""
		}
		return fmt.Sprintf("got %+v and error %v", page.Items, err)
	})
	return found
}

// get sends a request to the server of --listen.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience.Limit(t)}
	resp, err := client.Get(url)
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

// awaited repeats a request until the response has a text.
func awaited(t *testing.T, url string, want int, pattern *regexp.Regexp) {
	t.Helper()
	patience.Until(t, url, func() string {
		code, text := get(t, url)
		if code == want && pattern.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("got %d and %s, want %d and %s", code, text, want, pattern)
	})
}

// TestClusters records two clusters in one database by one process, one of them by a kubeconfig next
// to the file, reads health and metrics, and ends by Ctrl-C.
func TestClusters(t *testing.T) {
	t.Parallel()
	a, b := recordable(t, apitest.Config{}), recordable(t, apitest.Config{})
	a.create(newPod("ml", "in-a"))
	b.create(newPod("ml", "in-b"))
	dir := t.TempDir()
	for name, text := range map[string]string{"b.kubeconfig": read(t, b.kubeconfig), "vedette.yaml": fmt.Sprintf(`
db: sqlite:%s/h.db
listen: 127.0.0.1:0
wait-for-types: true
clusters:
- name: a
  kubeconfig: %s
  resources: [{type: pods, namespaces: [ml, other]}, {type: experiments.example.com}]
- name: b
  kubeconfig: b.kubeconfig
  resources: [{type: po}, {type: pods}]
`, dir, a.kubeconfig)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, "record", "--config", filepath.Join(dir, "vedette.yaml"))
	p.err.holds(t, "Ctrl-C ends it")
	for _, want := range []string{"not recorded yet: cluster a: the server at ", "recording pods in other of a into sqlite:", "recording pods in all namespaces of b into"} {
		p.err.holds(t, want)
	}
	if strings.Count(p.err.String(), "of b into") != 1 {
		t.Errorf("two names of one type are recorded twice:\n%v", p.err)
	}
	url := "sqlite:" + dir + "/h.db"
	if got := recorded(t, url, "pods", "in-a").Cluster; got != "a" {
		t.Errorf("in-a is in cluster %q, want a", got)
	}
	if got := recorded(t, url, "pods", "in-b").Cluster; got != "b" {
		t.Errorf("in-b is in cluster %q, want b", got)
	}
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	if code, text := get(t, address+"/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("/healthz: got %d and %s, want 200 and ok", code, text)
	}
	awaited(t, address+"/readyz", http.StatusServiceUnavailable, regexp.MustCompile(`^experiments\.example\.com of a: .*\n$`))
	if _, text := get(t, address+"/metrics"); !regexp.MustCompile(`vedette_record_ready\{cluster="b".*type="pods"\} 1`).MatchString(text) || !strings.Contains(text, "go_goroutines") {
		t.Errorf("/metrics: got %s, want the pods of b ready, and those of the Go runtime", text)
	}
	if code, text := portalAnswer(t, http.MethodGet, address+"/", ""); code != http.StatusOK || !strings.Contains(text, "<title>Vedette</title>") {
		t.Errorf("/ is not the portal: %d %s", code, text)
	}
	if code, text := portalAnswer(t, http.MethodGet, address+"/api/v1/nothing", ""); code != http.StatusNotFound || !strings.Contains(text, "urn:vedette:problem:unknown") {
		t.Errorf("a path of the API that is not there: %d %s", code, text)
	}
	p.interrupt()
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOneClusterTwice checks that two contexts of one cluster are refused. The recorder would
// take the second one for a replaced cluster.
func TestOneClusterTwice(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	text := strings.ReplaceAll(read(t, srv.kubeconfig), "contexts: [", "contexts: [{name: d, context: {cluster: c, user: u}}, ")
	if err := os.WriteFile(srv.kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said := ended(t, 1, "record", "pods", "-A", "--context", "c,d", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+t.TempDir()+"/h.db")
	if said != "vedette: c and d are the same cluster: name it once, with all its resources\n" {
		t.Errorf("record of one cluster under two contexts: said %q, want that they are the same cluster", said)
	}
}

// TestRules checks that watch and record use the states of a custom resource from a file of rules.
func TestRules(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{Types: []apitest.Type{{Group: "example.com", Version: "v1", Kind: "Experiment", Namespaced: true}}})
	experiment := func(status map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Experiment", "metadata": map[string]any{"namespace": "ml", "name": "x"}, "status": status,
		}}
	}
	srv.create(experiment(map[string]any{"percent": int64(40)}))
	testinput.Uncached(t)
	rules := "../../examples/record/rules.yaml"
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	w := srv.watch("experiments", "--rules", rules)
	r := start(t, "record", "experiments", "--rules", rules, "--kubeconfig", srv.kubeconfig, "--db", url)
	w.out.holds(t, "Running")
	if got := recorded(t, url, "experiments.example.com", "x"); got.State != "Running" || got.Raw != "40 %" {
		t.Errorf("recorded as %s (%s), want Running (40 %%)", got.State, got.Raw)
	}
	done := experiment(map[string]any{"phase": "Done", "exitCode": int64(3), "log": "no GPU"})
	if _, err := apitest.Modify(srv.Server, done, func(obj *unstructured.Unstructured) { obj.Object["status"] = done.Object["status"] }); err != nil {
		t.Fatal(err)
	}
	w.out.holds(t, "Running -> Failed")
	w.out.holds(t, "Exit3")
	w.interrupt()
	got := recordedAs(t, url, "experiments.example.com", "x", func(o history.Object) bool { return o.State != "Running" })
	r.interrupt()
	if got.State != "Failed" || got.Reason != "Exit3" || got.Message != "no GPU" {
		t.Errorf("recorded as %+v, want Failed, Exit3 and no GPU", got)
	}
	_, text := ended(t, 1, "watch", "experiments", "--kubeconfig", srv.kubeconfig, "--rules", file(t, "r.yaml", "rules:\n- kind: X\n  states:\n  - state: Done\n"))
	if strings.Count(text, "r.yaml:4: ") != 2 {
		t.Errorf("watch with bad rules: said %s, want two mistakes in line 4", text)
	}
}

// verdicts returns the results of the checks of doctor, by place and check.
func verdicts(t *testing.T, text string) map[string]preflight.Check {
	t.Helper()
	var all []preflight.Check
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]preflight.Check{}
	for _, c := range all {
		found[c.Of+" "+c.Check] = c
	}
	return found
}
