package main

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/testinput"
)

// evil is text that an attacker may write: it clears the screen, sets the title and the clipboard,
// makes a link, rings, overwrites the line, reverses text, hides text, and forges rows.
const evil = "=evil\x1b[2J\x1b]0;title\a\x1b]8;;evil:\x1b\\link\x1b]52;c;aGk=\x07\rX\u009b31m\u202etxt.exe\u2066\u061c\u200b\U000e0041\u2028Y\u2029\u0085\nFORGED row\tcell\b\x7f\ufeff"

// worse is text that a database can contain and a server cannot.
const worse = evil + "\xff\xc3("

// folder is the name of a folder that others may have made. The URL of a database may hold
// it, but no control characters.
const folder = "hidden\u202etxt\u200b"

// controls matches characters that must not reach a terminal. Line feeds and tabs of the program
// itself are allowed.
var controls = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{ad}\x{61c}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{e0000}-\x{e007f}]|(?m:^\s*FORGED)|row\t`)

// escaped is what evil becomes: in text; in YAML, of which a diff is; in the URL of a database.
var escaped = regexp.MustCompile(`evil(\\x1b\[2[Jj]|:\\x1b|\\e\[2J|:\\e|://…)`)

// prints fails unless text is safe. Hostile text must appear escaped.
func prints(t *testing.T, what, text string) {
	t.Helper()
	if at := controls.FindStringIndex(text); at != nil {
		t.Errorf("%s: got the control characters %q, want none:\n%q", what, text[at[0]:at[1]], text)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: invalid UTF-8 in\n%q", what, text)
	}
	if n := len(escaped.FindAllString(text, -1)); strings.Count(text, "evil") != n {
		t.Errorf("%s: it does not show what is escaped:\n%s", what, text)
	}
}

// hostile is a cluster and a database with hostile text everywhere.
type hostile struct {
	t       *testing.T
	srv     *platform
	db      string         // in a folder whose name is folder
	root    *cobra.Command // to find the commands
	covered map[string]map[string]bool
}

func newHostile(t *testing.T) *hostile {
	dir := filepath.Join(t.TempDir(), folder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h := &hostile{t: t, root: newRoot(io.Discard, io.Discard, false), srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(dir, "history.db"), covered: map[string]map[string]bool{}}
	pod := newPod("ml", "train")
	pod.Annotations = map[string]string{"note": evil}
	pod.Labels["user"] = "ann"
	h.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}},
		pod, &rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"}, ObjectMeta: metav1.ObjectMeta{Name: evil}})
	h.record(1)
	h.pods(func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, evil, evil
		p.Annotations["note"] = "second\n" + evil
	})
	h.record(2)
	return h
}

func (h *hostile) pods(change func(*corev1.Pod)) {
	h.t.Helper()
	if _, err := apitest.Modify(h.srv.Server, newPod("ml", "train"), change); err != nil {
		h.t.Fatal(err)
	}
}

// record records until the pod has a number of transitions.
func (h *hostile) record(n int) {
	h.t.Helper()
	p := start(h.t, "record", "pods,clusterroles,namespaces", "-A", "--kubeconfig", h.srv.kubeconfig, "--db", h.db, "--name", evil)
	h.cover("vedette record", "")
	a := &archive{t: h.t, srv: h.srv, db: h.db}
	a.until("train", n)
	a.until("kube-system", 1)
	p.interrupt()
	prints(h.t, "record", p.out.String()+p.err.String())
	holds(h.t, "record", p.err.String(), `hidden\u202etxt\u200b`)
}

func holds(t *testing.T, what, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%s: %q is not in\n%s", what, want, text)
	}
}

// corrupt writes into the database.
func (h *hostile) corrupt(statement string, args ...any) {
	h.t.Helper()
	db, err := sql.Open("sqlite", strings.TrimPrefix(h.db, "sqlite:"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(h.t.Context(), statement, args...); err != nil {
		h.t.Fatalf("statement %s failed: %v", statement, err)
	}
}

// cover notes that a command was run with an output format.
func (h *hostile) cover(command, format string) {
	if h.covered[command] == nil {
		h.covered[command] = map[string]bool{}
	}
	h.covered[command][format] = true
}

// run runs a command to its end, and checks its output for people.
func (h *hostile) run(args ...string) (out, errs string, code int) {
	h.t.Helper()
	h.note(args)
	p := start(h.t, args...)
	code = p.end()
	prints(h.t, fmt.Sprintf("%q to standard error", args), p.err.String())
	switch {
	case formatOf(args) == "jsonpath": // several lines, and not a table
		prints(h.t, fmt.Sprintf("%q", args), strings.ReplaceAll(p.out.String(), "\nFORGED row\t", ""))
	case !forPrograms(args):
		prints(h.t, fmt.Sprintf("%q", args), p.out.String())
	}
	return p.out.String(), p.err.String(), code
}

// note records the command and its format.
func (h *hostile) note(args []string) {
	h.t.Helper()
	cmd, _, err := h.root.Find(args)
	if err == nil {
		h.cover(cmd.CommandPath(), formatOf(args))
	}
}

func formatOf(args []string) string {
	if i := slices.Index(args, "-o"); i >= 0 && i+1 < len(args) {
		kind, _, _ := strings.Cut(args[i+1], "=")
		return kind
	}
	return ""
}

// forPrograms reports whether a format is unescaped.
func forPrograms(args []string) bool {
	switch formatOf(args) {
	case "json", "yaml", "ndjson", "csv":
		return true
	}
	return slices.Equal(args[:1], []string{"show"}) && formatOf(args) == ""
}

// TestHostile prints hostile text by every command in every format, and compares these with the
// tree of commands.
func TestHostile(t *testing.T) {
	h := newHostile(t)
	t.Run("watch", h.watch)
	t.Run("objects", h.objects)
	t.Run("settings", h.settings)
	t.Run("servers", h.servers)
	t.Run("programs", h.programs)
	h.corrupt(`UPDATE transitions SET reason = ?1, message = ?1, from_raw_state = ?1, to_raw_state = ?1`, worse)
	h.corrupt(`UPDATE objects SET name = ?1, namespace = ?1, owner_kind = ?1, owner_name = ?1, queue = ?1, submitter = ?1, state = ?1, raw_state = ?1, reason = ?1, message = ?1`, worse)
	h.corrupt(`UPDATE jobs SET state = ?1, reason = ?1, message = ?1`, worse)
	h.corrupt(`UPDATE clusters SET name = ?`, worse)
	h.corrupt(`INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)
		SELECT 1, id, ?1, 0, ?1, ?1, 1, 999999, 1, 1, ?1, 0 FROM resources`, worse)
	t.Run("database", h.database)
	h.corrupt(`UPDATE resources SET name = ?1 || id, kind = ?1, api_group = ?1`, worse)
	h.corrupt(`UPDATE transitions SET from_state = ?1, to_state = ?1`, worse)
	t.Run("types", h.types)
	t.Run("notifications", h.notifications)
	t.Run("letters", h.letters)
	t.Run("streams", h.streams)
	t.Run("exports", h.exports)
	t.Run("shards", h.shards)
	t.Run("jobs", h.jobs)
	t.Run("submitting", h.submitting)
	t.Run("portal", h.portal)
	t.Run("logins", h.logins)
	t.Run("swap", h.swaps)
	t.Run("new", h.projects)
	t.Run("demo", h.demo)
	h.complete(t)
}

// complete checks that the test ran every command in every format.
func (h *hostile) complete(t *testing.T) {
	formats := regexp.MustCompile(`\b(wide|json|yaml|name|jsonpath|csv|ndjson)\b`)
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
		}
		if cmd.HasSubCommands() {
			return
		}
		ran := h.covered[cmd.CommandPath()]
		if ran == nil {
			t.Errorf("%s gets nothing hostile here: run it", cmd.CommandPath())
			return
		}
		output := cmd.Flags().Lookup("output")
		if output == nil || cmd.Name() == "demo" { // its formats are those of watch
			return
		}
		for _, f := range append(formats.FindAllString(output.Usage, -1), "") {
			if !ran[f] {
				t.Errorf("%s gets nothing hostile with -o %s here: run it", cmd.CommandPath(), f)
			}
		}
	}
	walk(h.root)
}

// watch prints names, reasons and messages in all formats, with colors and without.
func (h *hostile) watch(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	text := "rules:\n- kind: Pod\n  states:\n  - when: object.status.phase == \"Failed\"\n    state: Failed\n    raw: object.status.message\n    reason: object.status.reason\n    message: object.status.message\n"
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"pods,clusterroles"},
		{"pods,clusterroles", "--color", "always"},
		{"pods", "--rules", rules},
		{"clusterroles", "-o", "wide", "--output-watch-events"},
		{"clusterroles", "-o", "name", "--output-watch-events"},
		{"clusterroles", "-o", "name"},
		{"pods", "-o", "jsonpath={.status.message}{\"\\n\"}{.metadata.name}"},
		{"pods", "-o", "json"},
		{"pods", "-o", "yaml"},
	} {
		h.note(append([]string{"watch"}, args...))
		p := h.srv.watch(args...)
		p.out.until(t, "the existing objects", func(text string) bool {
			return strings.Contains(text, "evil") && (args[0] != "pods,clusterroles" || strings.Contains(text, "train"))
		})
		if !forPrograms(args) {
			out := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "", "\nFORGED row\t", map[bool]string{true: "", false: "\nFORGED row\t"}[formatOf(args) == "jsonpath"]).Replace(p.out.String())
			prints(t, fmt.Sprintf("%q", args), out)
			holds(t, fmt.Sprintf("%q", args), out, `\x1b]52;c;aGk=\x07\rX\u009b31m\u202etxt.exe\u2066\u061c\u200b\U000e0041\u2028Y\u2029\u0085`)
		}
		p.interrupt()
		prints(t, "watch to standard error", p.err.String())
		var pod corev1.Pod
		switch formatOf(args) {
		case "json":
			if err := json.Unmarshal([]byte(p.out.String()), &pod); err != nil || pod.Status.Message != evil {
				t.Errorf("json: got message %q and error %v, want %q", pod.Status.Message, err, evil)
			}
		case "yaml":
			if err := yaml.Unmarshal([]byte(p.out.String()), &pod); err != nil || pod.Status.Message != evil {
				t.Errorf("yaml: got message %q and error %v, want %q", pod.Status.Message, err, evil)
			}
		}
	}
}

// objects runs the commands for one object.
func (h *hostile) objects(t *testing.T) {
	for _, name := range []string{"pod/train", "clusterrole/" + evil} {
		for _, args := range [][]string{
			{"history"},
			{"history", "-o", "wide"},
			{"history", "-o", "name"},
			{"history", "-o", "jsonpath={.name} {.message}"},
			{"show"},
			{"show", "-o", "name"},
			{"show", "-o", "jsonpath={.metadata.name} {.status.message}"},
			{"wait", "--for", "state=Succeeded", "--timeout", "0"},
			{"wait", "--for", "state=Failed", "--timeout", "0"},
			{"wait", "--for", "deleted", "--timeout", "0"},
			{"diff"},
			{"diff", "--from", "1"},
			{"show", "--at", "1"},
			{"show", "--at", "2001-01-01"},
		} {
			out, errs, _ := h.run(append([]string{args[0], name, "-n", "ml", "--db", h.db}, args[1:]...)...)
			if said := out + errs; name != "pod/train" && !strings.Contains(said, "evil") {
				t.Errorf("%q says nothing of it: %s", args, said)
			}
		}
	}
	out, _, _ := h.run("diff", "pod/train", "-n", "ml", "--db", h.db)
	holds(t, "diff", out, `second`)
	holds(t, "diff", out, `evil\`)
	for _, format := range []string{"json", "yaml"} {
		var pod corev1.Pod
		out, _, _ := h.run("show", "pod/train", "-n", "ml", "--db", h.db, "-o", format)
		parse := map[string]func([]byte) error{"json": func(b []byte) error { return json.Unmarshal(b, &pod) }, "yaml": func(b []byte) error { return yaml.Unmarshal(b, &pod) }}
		if err := parse[format]([]byte(out)); err != nil || pod.Status.Message != evil {
			t.Errorf("show -o %s: got message %q and error %v, want %q", format, pod.Status.Message, err, evil)
		}
	}
}

// settings uses hostile flags, environments, files and kubeconfigs.
func (h *hostile) settings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vedette.yaml")
	quoted := strconv.QuoteToASCII(evil) // which is YAML too
	write := func(text string) {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "EVIL", quoted)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("name: EVIL\ndb: sqlite:none.db\nclusters:\n- name: EVIL\n  context: EVIL\n  kubeconfig: EVIL\n  resources:\n  - type: pods\n    namespaces: [EVIL]\n")
	for _, args := range [][]string{
		{"config", "view"},
		{"doctor"},
		{"doctor", "-o", "json"},
		{"record"},
		{"record", "--dry-run"},
		{"config", "view", "pods", "-l", evil, "--redact", evil},
		{"record", "pods", "--redact", evil},
		{"doctor", "pods," + evil, "--kubeconfig", h.srv.kubeconfig, "--context", "c"},
		{"doctor", "pods", "--kubeconfig", h.srv.kubeconfig, "--context", evil},
		{"record", "pods", "--context", evil + "," + evil},
		{"record", "pods", "-n", evil, "--kubeconfig", h.srv.kubeconfig},
	} {
		out, errs, _ := h.run(append(args, "--config", file)...)
		holds(t, fmt.Sprintf("%q", args), out+errs, "evil")
	}
	for _, text := range []string{"EVIL: 1\n", "db: [EVIL]\n", "wait-for-types: EVIL\n", "redact: [EVIL]\n", "keep: EVIL\n", "clusters: [{resources: [{type: EVIL, selector: EVIL}]}]\n", "a: \x1b[2J\n", "rules: EVIL\n"} {
		write(text)
		for _, args := range [][]string{{"config", "view"}, {"record"}, {"doctor"}} {
			h.run(append(args, "--config", file)...)
		}
		h.run("watch", "pods", "--rules", file)
	}
	for _, args := range [][]string{
		{evil},
		{"help", evil},
		{"completion", evil},
		{"__complete", evil},
		{"watch", evil},
		{"watch", "--" + evil},
		{"watch", "-" + evil},
		{"watch", "pods", "-o", evil},
		{"watch", "pods", "-o", "jsonpath={" + evil},
		{"watch", "pods", "--color", evil},
		{"watch", "pods", "-l", evil},
		{"watch", "pods", "--field-selector", evil},
		{"watch", "pods", "-n", evil},
		{"watch", "pods", "--kubeconfig", evil},
		{"watch", "pods", "--context", evil},
		{"history", evil},
		{"history", evil + "/" + evil},
		{"history", "pods/" + evil},
		{"history", "--since", evil},
		{"history", "--state", evil},
		{"history", "-l", evil},
		{"history", "--owner", evil + "/" + evil},
		{"history", "-o", evil},
		{"show", evil},
		{"show", "a/b", "--at", evil},
		{"diff", evil + "/a"},
		{"diff", "a/b", "--from", evil},
		{"stats", evil},
		{"stats", "--top", evil},
		{"gaps", evil},
		{"gaps", "--until", evil},
		{"wait", evil},
		{"wait", "a/b", "--for", evil},
		{"wait", "a/b", "--for", "state=" + evil},
		{"prune", "--keep", evil},
		{"prune", "--keep-state", evil},
		{"prune", "--keep-rule", evil},
		{"prune", "--max-size", evil},
		{"prune", evil},
		{"erase", evil},
		{"erase", "a/b", "--export", "ftp://" + evil},
		{"migrate", evil},
		{"demo", evil},
		{"demo", "--jobs", evil},
		{"demo", "--db", evil},
		{"config", evil},
		{"doctor", "-o", evil},
		{"record", "--listen", evil, "pods", "--kubeconfig", h.srv.kubeconfig},
		{"debug", "bundle", "--server", evil},
		{"debug", "bundle", "--server", "http://127.0.0.1:1/" + evil, "--config", evil},
	} {
		if slices.Contains([]string{"watch", "demo", "debug", "config", "help", "completion", "__complete", evil}, args[0]) {
			h.run(args...)
			continue
		}
		h.run(append(args, "--db", h.db)...)
		h.run(append(args, "--db", evil)...)
	}
	t.Setenv("VEDETTE_NAME", strings.ReplaceAll(evil, "\x00", ""))
	t.Setenv("VEDETTE_WAIT_FOR_TYPES", evil)
	h.run("config", "view")
	out, _, _ := h.run("--version")
	holds(t, "version", out, "vedette version")
	h.run("version")
	h.run("version", "-o", "json")
	h.run("version", "-o", evil)
	var script bytes.Buffer
	if err := newRoot(io.Discard, io.Discard, false).GenBashCompletionV2(&script, true); err != nil {
		t.Fatal(err)
	}
	if out := start(t, "completion", "bash"); out.end() != 0 || out.out.String() != script.String() {
		t.Error("the script for completion is not as cobra made it")
	}
}

// servers uses hostile responses of servers.
func (h *hostile) servers(t *testing.T) {
	denied := serve(t, apitest.Config{Authorize: func(apitest.Request) error { return errors.New(worse) }})
	for name, answer := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, worse) // the client may have gone
		},
		"a page that is fine": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, worse) },
		"a status": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Message: evil, Reason: evil, Code: 422}) // as above
		},
		"other types": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/version":
				_ = json.NewEncoder(w).Encode(map[string]string{"major": "1", "minor": "30", "gitVersion": evil}) // as above
			case "/api/v1":
				_ = json.NewEncoder(w).Encode(metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "p" + evil, SingularName: evil, Kind: evil, Verbs: []string{evil}}}}) // as above
			case "/api":
				_ = json.NewEncoder(w).Encode(metav1.APIVersions{Versions: []string{"v1"}}) // as above
			default:
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, worse) // as above
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			p := &platform{t: t, url: server.URL, kubeconfig: filepath.Join(t.TempDir(), "config")}
			p.configure("token: x")
			h.asks(p)
		})
	}
	t.Run("no rights", func(*testing.T) { h.asks(denied) })
	t.Run("probe", h.probe)
}

// probe reads the readiness of a recorder without rights.
func (h *hostile) probe(t *testing.T) {
	denied := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "pods" {
			return errors.New(worse)
		}
		return nil
	}})
	denied.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	p := start(t, "record", "pods", "-A", "--wait-for-types", "--listen", "127.0.0.1:0", "--kubeconfig", denied.kubeconfig, "--db", h.db)
	p.err.holds(t, "Ctrl-C ends it")
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/readyz", http.StatusServiceUnavailable, regexp.MustCompile(`^pods[^\x00-\x09\x0b-\x1f\x7f-\x{9f}]*evil\\x1b\[2J[^\x00-\x1f\x7f-\x{9f}]*\n$`))
	p.interrupt()
	http.DefaultClient.CloseIdleConnections()
	prints(t, "record without rights", p.err.String())
	holds(t, "record without rights", p.err.String(), `evil\x1b[2J`)
}

// asks runs the commands that send requests to a server.
func (h *hostile) asks(p *platform) {
	for _, args := range [][]string{{"watch", "poods"}, {"record", "pods", "--fail-fast"}, {"record", "pods", "--dry-run"}, {"doctor", "pods"}} {
		args = append(args, "--kubeconfig", p.kubeconfig)
		if args[0] != "watch" {
			args = append(args, "--db", h.db)
		}
		_, errs, code := h.run(args...)
		if code != 1 || errs == "" {
			h.t.Errorf("%q: exit code %d, said %s; want 1 and an error", args, code, errs)
		}
	}
}

// programs compares by a program of the user.
func (h *hostile) programs(t *testing.T) {
	testinput.Uncached(t)
	program := filepath.Join(t.TempDir(), "compare")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf 'evil\\033[2J'; printf 'evil\\033[2J\\n' >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECTL_EXTERNAL_DIFF", program)
	out, errs, code := h.run("diff", "pod/train", "-n", "ml", "--db", h.db)
	if code != 1 || out == "" || errs == "" {
		t.Errorf("exit code %d, printed %q, said %q; want 1 and both outputs", code, out, errs)
	}
}

// database prints hostile records of a database.
func (h *hostile) database(t *testing.T) {
	h.lists(t)
	for _, args := range [][]string{{"history", "pods/" + worse}, {"show", "pods/" + worse}, {"diff", "pods/" + worse}, {"wait", "pods/" + worse, "--for", "state=Succeeded", "--timeout", "0"}} {
		out, errs, _ := h.run(append(args, "-A", "--db", h.db)...)
		holds(t, fmt.Sprintf("%q", args), out+errs, "evil")
	}
	for _, args := range [][]string{{"prune", "--keep", "1d"}, {"prune", "--keep", "1d", "--dry-run"}, {"migrate", "status"}, {"migrate", "up"}, {"history", "cows"}, {"erase", "pods/train", "-n", "ml", "--yes"}, {"erase", "pods/" + worse, "-n", "ml", "--uid", evil}} {
		_, errs, _ := h.run(append(args, "--db", h.db)...)
		if args[0] == "prune" {
			holds(t, fmt.Sprintf("%q", args), errs, `hidden\u202etxt\u200b`)
		}
	}
	h.run("doctor", "pods", "--kubeconfig", h.srv.kubeconfig, "--db", h.db)
}

// types uses hostile names of types.
func (h *hostile) types(t *testing.T) {
	h.lists(t)
	h.run("history", "pods", "--db", h.db)
	h.run("stats", "pods,"+evil, "--db", h.db)
}

// lists runs the commands that list, in all formats.
func (h *hostile) lists(t *testing.T) {
	want := strings.ToValidUTF8(worse, "\ufffd\ufffd")
	for _, command := range []string{"history -A", "stats -A", "gaps --all"} {
		for _, format := range []string{"", "wide", "name", "jsonpath={.type}{.name}{.reason}{.message}{.detail}", "json", "yaml", "ndjson", "csv"} {
			args := append(strings.Fields(command), "--db", h.db)
			if format != "" {
				args = append(args, "-o", format)
			}
			out, errs, code := h.run(args...)
			if code != 0 || errs != "" || format != "name" && !strings.Contains(out, "evil") {
				t.Errorf("%q: exit code %d, said %s, printed\n%s\nwant 0 and the hostile text, escaped", args, code, errs, out)
			}
			var all []map[string]any
			switch format {
			case "json":
				var list struct{ Items []map[string]any }
				if err := json.Unmarshal([]byte(out), &list); err != nil {
					t.Errorf("%q: the output is not a JSON list: %v", args, err)
				}
				all = list.Items
			case "ndjson":
				for text := range strings.Lines(out) {
					var item map[string]any
					if err := json.Unmarshal([]byte(text), &item); err != nil {
						t.Errorf("%q: a line is not JSON: %v in %q", args, err, text)
					}
					all = append(all, item)
				}
			case "yaml":
				for text := range strings.SplitSeq(out, "---\n") {
					if err := yaml.Unmarshal([]byte(text), &map[string]any{}); err != nil {
						t.Errorf("%q: a document is not YAML: %v in\n%s", args, err, text)
					}
				}
			case "csv":
				h.spreadsheet(t, out)
			}
			for _, item := range all {
				if message, ok := item["message"].(string); ok && strings.ReplaceAll(message, "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
					t.Errorf("%q: %q, want %q", args, message, want)
				}
			}
		}
	}
}

// spreadsheet checks that no cell is a formula.
func (h *hostile) spreadsheet(t *testing.T, text string) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || !utf8.ValidString(text) {
		t.Fatalf("got error %v, want valid CSV: %q", err, text)
	}
	for _, cell := range slices.Concat(rows...) {
		if strings.ContainsAny(cell[:min(len(cell), 1)], "=+-@\t\r\n") {
			t.Errorf("got the cell %q, want no formula", cell)
		}
		if strings.Contains(cell, "evil") && !strings.Contains(cell, "evil\x1b[2J") && !strings.Contains(cell, `evil\x1b[2J`) { // a message has escaped it
			t.Errorf("the cell %q is not as it was", cell)
		}
	}
}

// demo records into a file in the same folder.
func (h *hostile) demo(t *testing.T) {
	_, errs, code := h.run("demo", "--jobs", "1", "--speed", "1000", "--db", strings.Replace(h.db, "history.db", "demo.db", 1))
	if code != 0 {
		t.Errorf("exit code %d, want 0: %s", code, errs)
	}
	holds(t, "demo", errs, `hidden\u202etxt\u200b`)
}

// TestHostileProgress checks that progress on a terminal, and messages in between, are escaped.
func TestHostileProgress(t *testing.T) {
	var out, errs bytes.Buffer
	con := console.New(&out, &errs, "always")
	con.Live = true
	con.Progress("asking %s and %v …", worse, errors.New(worse))
	con.Progress("%d of %q", 7, worse)
	con.Say("%s is back; %v", worse, errors.New(worse))
	_, _ = console.LogWriter{Con: con}.Write([]byte(worse + "\n")) // it does not fail
	if err := con.Print(worse); err != nil {
		t.Fatal(err)
	}
	drawn := strings.ReplaceAll(errs.String(), "\r\x1b[K", "")
	prints(t, "progress", drawn)
	if n := strings.Count(drawn, "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, drawn)
	}
	prints(t, "print", strings.Replace(out.String(), "\nFORGED row\t", "", 1)) // a layout is not changed
}

// TestOneWayOut checks that only the console writes to the outputs of the program.
func TestOneWayOut(t *testing.T) {
	var files []string
	for _, name := range []string{
		".", "console", "deliveryview", "demo", "explain", "httpserver", "invocation", "joblist", "listing", "portaljobs", "preflight", "ruletext", "settings", "source", "timeout",
		"tokenstore", "units", "watchview",
	} {
		folder := filepath.Join("internal", name)
		if name == "." {
			folder = name
		}
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: got no files, %v", folder, err)
		}
		files = append(files, found...)
	}
	allowed := map[string]string{"os.Stdout": "main.go", "os.Stderr": "main.go", ".Raw()": "internal/console/console.go"}
	found := regexp.MustCompile(`os\.Stdout|os\.Stderr|\.Raw\(\)|fmt\.Print\w*\(|\blog\.(Print|Fatal|Panic)|\bprintln?\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range found.FindAllString(string(text), -1) {
			if !strings.HasSuffix(file, "_test.go") && allowed[word] != file {
				t.Errorf("%s has %s: write to the console, which escapes", file, word)
			}
		}
	}
}
