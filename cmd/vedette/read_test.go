package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

// archive is a database that `vedette record` has filled: with pods that ran, failed, and were
// deleted and created again, and one pod that runs.
type archive struct {
	t   *testing.T
	srv *platform
	db  string
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "history.db")}
	r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	stop := r.start()
	train := newPod("ml", "train", "app")
	train.Labels["user"] = "ann"
	r.srv.create(train, newPod("web", "train"), newPod("ml", "quiet"))
	r.until("train", 2)
	r.srv.phase(train, corev1.PodRunning, "")
	r.until("train", 3)
	r.srv.phase(train, corev1.PodFailed, "Evicted")
	r.until("train", 4)
	if err := r.srv.Delete(newPod("ml", "train")); err != nil {
		t.Fatal(err)
	}
	r.srv.create(newPod("ml", "train", "app"))
	r.until("train", 6)
	stop()
	return r
}

// start starts a recorder, and returns a function that stops it.
func (r *archive) start() (stop func()) {
	r.t.Helper()
	p := start(r.t, "record", "pods,namespaces", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db)
	p.err.holds(r.t, "recording")
	return func() {
		r.t.Helper()
		p.interrupt()
	}
}

// until waits until the pods with a name have a number of transitions.
func (r *archive) until(name string, n int) {
	r.t.Helper()
	patience.Until(r.t, fmt.Sprintf("%d transitions of %s", n, name), func() string {
		out, errs, code := r.run("history", "-A", "-o", "ndjson")
		if code == 0 && strings.Count(out, fmt.Sprintf(`"name":%q`, name)) >= n {
			return ""
		}
		return out + "\n" + errs
	})
}

// run runs a command with the database.
func (r *archive) run(args ...string) (out, errs string, code int) {
	r.t.Helper()
	p := start(r.t, append(args, "--db", r.db)...)
	code = p.end()
	return p.out.String(), p.err.String(), code
}

// says runs a command, which must succeed.
func (r *archive) says(args ...string) string {
	r.t.Helper()
	out, errs, code := r.run(args...)
	if code != 0 || errs != "" {
		r.t.Fatalf("%q: exit code %d, said %s; want 0 and no text", args, code, errs)
	}
	return out
}

// fails runs a command, which must fail with one line.
func (r *archive) fails(code int, want string, args ...string) {
	r.t.Helper()
	out, errs, got := r.run(args...)
	if got != code || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "vedette: ") || out != "" {
		r.t.Errorf("%q: exit code %d, said %q, printed %q; want %d, and one line with %q", args, got, errs, out, code, want)
	}
}

func matches(t *testing.T, text, want string) {
	t.Helper()
	if !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("it is not like %s:\n%s", want, text)
	}
}

// TestReads reads one history with all commands.
func TestReads(t *testing.T) {
	r := newArchive(t)
	t.Run("history", r.history)
	t.Run("list", r.list)
	t.Run("formats", r.formats)
	t.Run("show", r.show)
	t.Run("diff", r.diff)
	t.Run("wait", r.wait)
	t.Run("stats", r.stats)
	t.Run("refusals", r.refusals)
	t.Run("gaps", r.gaps)
}

func (r *archive) history(t *testing.T) {
	out := r.says("history", "pod/train", "-n", "ml")
	matches(t, out, `(?s)^pods ml/train  uid \S+\nSINCE +STATE +FOR +REASON +MESSAGE\n[^\n]+ Queued +\S+\n[^\n]+ Running +\S+\n[^\n]+ Failed +\S+ +Evicted\n[^\n]+ Deleted[^\n]*\n\npods ml/train  uid \S+\nSINCE.*\n[^\n]+ Queued +\S+\n$`)
	if wide := r.says("history", "po", "train", "-n", "ml", "-o", "wide", "--no-headers"); strings.Contains(wide, "uid") || !strings.Contains(wide, "watch") || strings.Count(wide, "\n") != 5 {
		t.Errorf("wide, without headers:\n%s", wide)
	}
	if out := r.says("history", "namespace/kube-system", "--no-headers"); strings.Count(out, "\n") != 1 {
		t.Errorf("a type without namespaces:\n%s", out)
	}
	if out := r.says("history", "pods/train", "-A", "--no-headers"); strings.Count(out, "\n") != 6 {
		t.Errorf("all namespaces: want 6 lines, got\n%s", out)
	}
	uid := strings.TrimSpace(r.says("history", "pods", "-n", "ml", "--state", "Running", "-o", "jsonpath={.uid}"))
	if out := r.says("history", "pod/train", "-n", "ml", "--uid", uid, "--no-headers"); strings.Count(out, "\n") != 4 {
		t.Errorf("one UID: want 4 lines, got\n%s", out)
	}
}

func (r *archive) list(t *testing.T) {
	states := func(args ...string) string {
		t.Helper()
		out := r.says(append([]string{"history", "-o", "jsonpath={.namespace}/{.name} {.to}"}, args...)...)
		return strings.ReplaceAll(strings.TrimSpace(out), "\n", ", ")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"pods", "-A", "--state", "Failed"}, "ml/train Failed"},
		{[]string{"pods", "-n", "ml", "-l", "app=yes", "--oldest-first"}, "ml/train Queued, ml/train Running, ml/train Failed, ml/train Deleted, ml/train Queued"},
		{[]string{"pods", "-n", "ml", "-l", "app=yes", "--limit", "2"}, "ml/train Queued, ml/train Deleted"},
		{[]string{"pods", "-n", "web", "--since", "1h"}, "web/train Queued"},
		{[]string{"pods", "-A", "--submitter", "ann", "--state", "Running,Failed", "--oldest-first"}, "ml/train Running, ml/train Failed"},
	} {
		if got := states(c.args...); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
	matches(t, r.says("history", "pods", "-n", "ml"), `^TIME +TYPE +NAME +STATE +FOR +REASON +MESSAGE\n`)
	matches(t, r.says("history", "pods", "-A", "--state", "Failed", "--no-headers"), `^\S+ \S+ +pods +ml/train +Running -> Failed +\S+ +Evicted\n$`)
	for _, args := range [][]string{{"--until", "2020-01-01"}, {"-l", "no=where"}, {"--owner", "job/none"}, {"--queue", "none"}, {"-n", "none"}, {"--cluster", "none"}} {
		out, errs, code := r.run(append([]string{"history", "pods"}, args...)...)
		if code != 0 || out != "" || !strings.Contains(errs, "no records match") {
			t.Errorf("%q: exit code %d, printed %q, said %q; want 0 and that no records match", args, code, out, errs)
		}
	}
}

func (r *archive) formats(t *testing.T) {
	var list struct{ Items []transitionDoc }
	out := r.says("history", "pods", "-n", "ml", "-o", "json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 6 {
		t.Fatalf("json: got %d items and error %v, want 6:\n%s", len(list.Items), err, out)
	}
	for _, d := range list.Items {
		if _, err := time.Parse(time.RFC3339Nano, d.HappenedAt); err != nil || d.Kind != "transition" || d.Type != "pods" || d.Cluster == "" || d.Seconds < 0 {
			t.Errorf("history -o json: got %+v, error %v; want a transition of pods with a time", d, err)
		}
	}
	if out := r.says("history", "pods", "-n", "ml", "-o", "ndjson"); strings.Count(out, "\n") != 6 || strings.Count(out, "\n{") != 5 {
		t.Errorf("ndjson: want 6 objects, one per line, got\n%s", out)
	}
	if out := r.says("history", "pods", "-n", "ml", "-o", "yaml"); strings.Count(out, "---\n") != 6 {
		t.Errorf("yaml: want 6 documents, got\n%s", out)
	}
	if out := r.says("history", "pods", "-n", "ml", "-o", "name"); !slices.Contains(strings.Split(out, "\n"), "pod/quiet") {
		t.Errorf("name: want pod/quiet, got\n%s", out)
	}
	rows, err := csv.NewReader(strings.NewReader(r.says("history", "pods", "-n", "ml", "-o", "csv"))).ReadAll()
	if err != nil || len(rows) != 7 || rows[0][0] != "kind" || !slices.Contains(rows[0], "happenedAt") {
		t.Errorf("csv: got %q and error %v, want a header and 6 rows", rows, err)
	}
	if out, errs, code := r.run("history", "pods", "-n", "none", "-o", "json"); code != 0 || json.Unmarshal([]byte(out), &list) != nil || len(list.Items) != 0 {
		t.Errorf("json without items: %s, %s", out, errs)
	}
}

func (r *archive) show(t *testing.T) {
	versions := strings.Fields(r.says("history", "pods", "-n", "ml", "-l", "app=yes", "--oldest-first", "-o", "jsonpath={.version}"))
	last := r.says("show", "pod/train", "-n", "ml")
	if strings.Contains(last, "phase: Failed") || strings.Contains(last, "managedFields") || !strings.Contains(last, "resourceVersion: \""+versions[4]+"\"") {
		t.Errorf("the last revision: want version %s, not Failed, without managedFields, got\n%s", versions[4], last)
	}
	if out := r.says("show", "pod/train", "-n", "ml", "--at", versions[1], "-o", "jsonpath={.status.phase}"); out != "Running\n" {
		t.Errorf("phase at %s: got %s, want Running", versions[1], out)
	}
	out, errs, code := r.run("show", "pod/train", "-n", "ml", "--at", versions[3], "-o", "json")
	var obj corev1.Pod
	if err := json.Unmarshal([]byte(out), &obj); code != 0 || err != nil || obj.Status.Phase != corev1.PodFailed || !strings.Contains(errs, "was deleted") {
		t.Errorf("when it was deleted: %d, %s, %v\n%s", code, errs, err, out)
	}
	if out := r.says("show", "pod/train", "-n", "ml", "--at", "0s"); out != last {
		t.Errorf("now: got\n%s\nwant\n%s", out, last)
	}
	r.fails(1, "was not seen before", "show", "pod/train", "-n", "ml", "--at", "1h")
	r.fails(1, "has no revision 999999", "show", "pod/train", "-n", "ml", "--at", "999999")
	r.fails(1, "use -n", "show", "pod/train", "-A")
	r.fails(1, "unknown output format", "show", "pod/train", "-o", "csv")
}

func (r *archive) diff(t *testing.T) {
	versions := strings.Fields(r.says("history", "pods", "-n", "ml", "-l", "app=yes", "--oldest-first", "-o", "jsonpath={.version}"))
	out, errs, code := r.run("diff", "pod/train", "-n", "ml", "--from", versions[1], "--to", versions[2])
	if code != 1 || errs != "" || !strings.Contains(out, "\n-  phase: Running\n") || !strings.Contains(out, "\n+  phase: Failed\n") || !strings.HasPrefix(out, "--- ml/train at "+versions[1]) {
		t.Errorf("exit code %d, said %s, printed\n%s\nwant 1 and the phase from Running to Failed", code, errs, out)
	}
	if out, _, code := r.run("diff", "pod/train", "-n", "ml", "--to", versions[2]); code != 1 || !strings.Contains(out, "-  phase: Running") {
		t.Errorf("diff with the revision before: exit code %d, want 1 and the phase Running removed:\n%s", code, out)
	}
	if out := r.says("diff", "pod/train", "-n", "ml", "--from", versions[1], "--to", versions[1]); out != "" {
		t.Errorf("diff of a revision with itself: want nothing, got\n%s", out)
	}
	testinput.Uncached(t)
	t.Setenv("KUBECTL_EXTERNAL_DIFF", "diff -q")
	if out, errs, code := r.run("diff", "pod/train", "-n", "ml", "--from", versions[1], "--to", versions[2]); code != 1 || !strings.Contains(out, "differ") {
		t.Errorf("another program: exit code %d, said %s, printed %s; want 1 and that they differ", code, errs, out)
	}
	t.Setenv("KUBECTL_EXTERNAL_DIFF", "false-there-is-none")
	r.fails(2, "KUBECTL_EXTERNAL_DIFF", "diff", "pod/train", "-n", "ml", "--from", versions[1], "--to", versions[2])
	t.Setenv("KUBECTL_EXTERNAL_DIFF", "")
	r.fails(2, "no revision before", "diff", "pod/train", "-n", "ml")
	r.fails(2, "unknown flag", "diff", "pod/train", "--colour")
	r.fails(2, "does not name an object", "diff", "pods")
}

func (r *archive) wait(t *testing.T) {
	old := strings.TrimSpace(r.says("history", "pods", "-n", "ml", "--state", "Running", "-o", "jsonpath={.uid}"))
	if out := r.says("wait", "pod/train", "-n", "ml", "--uid", old, "--for", "state=Running", "--timeout", "0"); !strings.Contains(out, "Running at ") {
		t.Errorf("wait for a state of before: got %s, want when it was Running", out)
	}
	r.says("wait", "pod/train", "-n", "ml", "--uid", old, "--for", "deleted", "--timeout", "0")
	r.fails(2, "can no longer reach state=Succeeded", "wait", "pod/train", "-n", "ml", "--uid", old, "--for", "state=Succeeded", "--timeout", "1h")
	r.fails(3, "it has been Queued since", "wait", "pod/train", "-n", "ml", "--for", "state=Running", "--timeout", "0")
	r.fails(3, "did not reach state=Running within 600ms", "wait", "pod/train", "-n", "ml", "--for", "state=Running", "--timeout", "600ms")
	r.fails(3, "not found in the history", "wait", "pod/none", "-n", "ml", "--for", "deleted", "--timeout", "0")
	r.fails(1, "unknown state", "wait", "pod/train", "--for", "state=Dancing")
	r.fails(1, "--for is", "wait", "pod/train")

	p := start(t, "wait", "pod/train", "-n", "ml", "--for", "state=Running", "--timeout", "-1s", "--db", r.db)
	gone := start(t, "wait", "pod/train", "-n", "ml", "--for", "deleted", "--timeout", "1h", "--db", r.db)
	stop := r.start()
	pod, err := apitest.Modify(r.srv.Server, newPod("ml", "train"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
	if err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 0 {
		t.Errorf("%s ran: exit code %d, %v", pod.Name, code, p.err)
	}
	gone.cancel()
	if code := gone.end(); code != 130 {
		t.Errorf("interrupted: exit code %d, %v", code, gone.err)
	}
	stop()
}

func (r *archive) stats(t *testing.T) {
	var list struct{ Items []statsDoc }
	if err := json.Unmarshal([]byte(r.says("stats", "pods", "-n", "ml", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]statsDoc{}
	for _, d := range list.Items {
		found[strings.TrimSuffix(d.Section+" "+d.Name, " ")] = d
	}
	for name, d := range found { // each column has one meaning
		counts, ends := d.Section == "objects" || d.Section == "waiting" || d.Section == "running", d.Section != "state"
		if counts && (d.Objects != d.Count || d.Ended != 0) || !counts && (d.Objects != 0 || ends && d.Ended != d.Count) {
			t.Errorf("%s: got %+v, want either objects or ended to be %d", name, d, d.Count)
		}
		if d.Seconds > 0 && (d.Section != "state" || job.State(d.Name).Final()) {
			t.Errorf("%s: got a time of %v s, want none except in a state that is not final", name, d.Seconds)
		}
	}
	if d := found["objects"]; d.Count != 3 {
		t.Errorf("objects: got %+v, want 3", d)
	}
	if d := found["outcome Failed"]; d.Count != 1 {
		t.Errorf("outcome Failed: got %+v, want 1", d)
	}
	if d := found["waiting"]; d.Count != 3 || d.Open != 1 || d.MaxSeconds <= 0 {
		t.Errorf("waiting: got %+v, want 3, 1 of them open, and a longest time", d)
	}
	if d := found["running"]; d.Count != 2 || d.Open != 1 {
		t.Errorf("running: got %+v, want 2, 1 of them open", d)
	}
	if d := found["submitter ann"]; d.Count != 1 || d.Failed != 1 {
		t.Errorf("submitter ann: got %+v, want 1, which failed", d)
	}
	matches(t, r.says("stats", "pods", "-n", "ml"), `(?s)^pods\nWHAT +NAME +OBJECTS +OPEN +ENDED +FAILED +TIME.*outcome +Failed +1\n.*state +Running .*namespace +ml +1 +1\n`)
	if _, errs, code := r.run("stats", "-n", "none"); code != 0 || !strings.Contains(errs, "no records match") {
		t.Errorf("nothing matches: %d, %s", code, errs)
	}
}

func (r *archive) refusals(t *testing.T) {
	for want, args := range map[string][]string{
		"not found in the history; namespace ml has one: use -n ml": {"history", "pod/quiet"},
		"not found in the history":                                  {"history", "pod/none"},
		"no type \"cows\" is recorded":                              {"history", "cows/none"},
		"unknown state \"Dancing\"":                                 {"history", "pods", "--state", "Dancing"},
		"unknown output format":                                     {"history", "pods", "-o", "xml"},
		"takes no template":                                         {"history", "pods", "-o", "csv=x"},
		"is not a time":                                             {"history", "pods", "--since", "yesterday"},
		"use app=train":                                             {"history", "pods", "-l", "a>1"},
		"does not name an object":                                   {"history", "pods/a/b"},
		"with UID none":                                             {"show", "pod/train", "-n", "ml", "--uid", "none"},
		"no type \"c":                                               {"stats", "cows"},
		"is not a time; use how long ago":                           {"gaps", "--until", "soon"},
	} {
		r.fails(1, want, args...)
	}
	p := start(t, "history", "pods")
	if p.end() != 1 || !strings.Contains(p.err.String(), "no database is named") {
		t.Errorf("history without a database: said %v, want that no database is named", p.err)
	}
}

// gaps checks that an interval without a recorder is reported if the server no longer has its
// changes.
func (r *archive) gaps(t *testing.T) {
	if out, errs, code := r.run("gaps"); code != 0 || out != "" || !strings.Contains(errs, "no gaps") {
		t.Errorf("gaps before any: exit code %d, printed %s, said %s; want 0 and no gaps", code, out, errs)
	}
	for _, phase := range []corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded} {
		if _, err := apitest.Modify(r.srv.Server, newPod("ml", "quiet"), func(p *corev1.Pod) { p.Status.Phase = phase }); err != nil {
			t.Fatal(err)
		}
	}
	r.srv.Compact()
	stop := r.start()
	r.until("quiet", 2)
	stop()
	out := r.says("gaps", "pods")
	matches(t, out, `(?s)^BEGAN +FOR +TYPE +NAMESPACE +RECORDER +CAUSE +HEALED\n\S+ \S+ +\S+ +pods +all +\S+ +the recorder was away for longer than the server keeps events +-\n$`)
	matches(t, r.says("history", "pod/quiet", "-n", "ml", "--no-headers"), `^[^\n]+ Queued [^\n]+\n[^\n]+ \(gap\) [^\n]+something may be missing[^\n]+\n[^\n]+ Succeeded [^\n]*\n$`)
	wide := r.says("history", "pod/quiet", "-n", "ml", "-o", "wide")
	matches(t, wide, `(?s)^pods ml/quiet  uid \S+\nSINCE +STATE +FOR +REASON +MESSAGE +VERSION +SOURCE +SEEN\n`+
		`[^\n]+ Queued +[^\n]+ \d+ +(list|watch) +\S+ \S+\n`+
		`\S+ \S+ +\(gap\) +\S+ +window +something may be missing: [^\n]+ \d+-\d+ +\d{4}-\S+ \S+\n`+
		`[^\n]+ Succeeded +[^\n]+ \d+ +relist +\S+ \S+\n$`)
	if lines := strings.Split(wide, "\n"); len(lines) > 3 { // the gap has its versions under VERSION, and nothing under SOURCE
		version, source, seen := strings.Index(lines[1], "VERSION"), strings.Index(lines[1], "SOURCE"), strings.Index(lines[1], "SEEN")
		if gap := lines[3]; !regexp.MustCompile(`^\d+-\d+ *$`).MatchString(gap[version:source]) || strings.TrimSpace(gap[source:seen]) != "" {
			t.Errorf("a gap in wide format:\n%s", wide)
		}
	}
	matches(t, r.says("gaps", "pods", "-o", "wide"), `^BEGAN +FOR +TYPE +NAMESPACE +RECORDER +CAUSE +HEALED +VERSIONS +DETAIL\n[^\n]+ \d+-\d+[^\n]*\n$`)
	if out := r.says("history", "pod/quiet", "-n", "ml", "-o", "ndjson"); strings.Count(out, `"kind":"gap"`) != 1 {
		t.Errorf("the gap in ndjson:\n%s", out)
	}
	if out := r.says("gaps", "pods", "-o", "jsonpath={.cause}"); out != "window\n" {
		t.Errorf("got the cause %q, want window", out)
	}
}
