package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// began is the time of the first line of a log.
var began = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

// newLoggingJob creates a job with running pods, and returns its UID.
func newLoggingJob(t *testing.T, p *platform, name string, pods ...string) string {
	t.Helper()
	made, err := p.Create(newJob("ml", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		obj := newPod("ml", pod)
		obj.Spec.NodeName = "node-0"
		obj.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: made.GetUID(), Controller: new(true)}}
		obj.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}}
		p.create(obj)
	}
	return string(made.GetUID())
}

func (p *platform) say(seconds int, pod, text string) {
	p.t.Helper()
	if err := p.WriteLogAt(began.Add(time.Duration(seconds)*time.Second), "ml", pod, "main", text); err != nil {
		p.t.Fatal(err)
	}
}

// logs runs `vedette logs` to its end.
func (p *platform) logs(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	run := start(p.t, append([]string{"logs", "--kubeconfig", p.kubeconfig}, args...)...)
	if code := run.end(); code != want {
		p.t.Errorf("exit code %d, want %d: %v", code, want, run.err)
	}
	return run.out.String(), run.err.String()
}

func TestLogs(t *testing.T) {
	t.Parallel()
	p := serve(t, apitest.Config{})
	newLoggingJob(t, p, "train-7", "train-7-a")
	p.say(1, "train-7-a", "one\n\ttwo\n")
	if out, _ := p.logs(0, "job/train-7"); out != "one\n\ttwo\n" {
		t.Errorf("logs: printed %q, want both lines", out)
	}
	if out, _ := p.logs(0, "train-7", "--tail", "1", "--prefix", "always"); out != "train-7-a/main #1 \ttwo\n" {
		t.Errorf("logs --tail 1 --prefix always: printed %q, want the last line with its origin", out)
	}
	if out, _ := p.logs(0, "train-7", "--tail", "1", "--timestamps"); out != units.Local(began.Add(time.Second))+" \ttwo\n" {
		t.Errorf("logs --tail 1 --timestamps: printed %q, want the last line with its time", out)
	}
	newLoggingJob(t, p, "train-8", "train-8-a", "train-8-b")
	p.say(1, "train-8-a", "first\n")
	p.say(3, "train-8-a", "third\n")
	p.say(2, "train-8-b", "second\n")
	want := "train-8-a/main #1 first\ntrain-8-b/main #1 second\ntrain-8-a/main #1 third\n"
	if out, _ := p.logs(0, "train-8"); out != want {
		t.Errorf("logs of two pods: printed %q, want %q", out, want)
	}
	out, _ := p.logs(0, "train-8", "--color", "always")
	a, b := "\x1b[", "m"
	if strings.Count(out, "\x1b[") != 6 || !strings.HasPrefix(out, a) || !strings.Contains(out, b+"train-8-b/main #1\x1b[0m second") {
		t.Errorf("logs --color always: printed %q, want each prefix in color", out)
	}
	if out, _ := p.logs(0, "train-8", "--since", began.Add(2*time.Second).Format(time.RFC3339), "--pod", "train-8-a", "--attempt", "last", "-c", "main"); out != "third\n" {
		t.Errorf("logs with filters: printed %q, want only the third line", out)
	}
	if _, said := p.logs(1, "train-9"); !strings.Contains(said, "no job train-9 is in the namespace ml; if it was deleted, a database may have its logs: name it with --db") {
		t.Errorf("logs of a missing job: said %q, want a hint at --db", said)
	}
	for _, args := range [][]string{
		{"train-8", "--attempt", "zero"},
		{"train-8", "--attempt", "0"},
		{"train-8", "--tail", "-2"},
		{"train-8", "--since", "soon"},
		{"train-8", "-o", "yaml"},
		{"train-8", "--prefix", "maybe"},
		{"train-8", "--color", "maybe"},
		{"train-8", "--max-streams", "0"},
		{"train-9"},
	} {
		if out, said := p.logs(1, args...); out != "" || !strings.HasPrefix(said, "vedette: ") {
			t.Errorf("logs %q: printed %q, said %q; want nothing and an error", args, out, said)
		}
	}
}

func TestLogsWithoutTheirDatabase(t *testing.T) {
	t.Parallel()
	p := serve(t, apitest.Config{})
	newLoggingJob(t, p, "train-7", "train-7-a")
	p.say(1, "train-7-a", "one\n")
	out, said := p.logs(0, "train-7", "--db", "sqlite:"+filepath.Join(t.TempDir(), "none.db"))
	if out != "one\n" || !strings.HasPrefix(said, "kept logs are not shown: sqlite:") {
		t.Errorf("logs without the database: printed %q, said %q; want the line, and that kept logs are not shown", out, said)
	}
}

func TestLogsAreFollowed(t *testing.T) {
	t.Parallel()
	p := serve(t, apitest.Config{})
	newLoggingJob(t, p, "train-7", "train-7-a")
	run := start(t, "logs", "job/train-7", "-f", "--kubeconfig", p.kubeconfig)
	p.say(1, "train-7-a", "one\n")
	run.out.holds(t, "one\n")
	p.say(2, "train-7-a", "two\n")
	run.out.holds(t, "one\ntwo\n")
	if _, err := apitest.Modify(p.Server, newJob("ml", "train-7"), func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := apitest.Modify(p.Server, newPod("ml", "train-7-a"), func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodSucceeded
		pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	}); err != nil {
		t.Fatal(err)
	}
	if code := run.end(); code != 0 {
		t.Errorf("exit code %d, want 0: %v", code, run.err)
	}
	endless := newLoggingJob(t, p, "train-8", "train-8-a")
	run = start(t, "logs", "job/train-8", "-f", "--kubeconfig", p.kubeconfig)
	p.say(1, "train-8-a", "one\n")
	run.out.holds(t, "one\n")
	run.interrupt()
	if endless == "" {
		t.Error("no UID")
	}
}

func TestHostileLogs(t *testing.T) {
	t.Parallel()
	p := serve(t, apitest.Config{})
	newLoggingJob(t, p, "train-7", "train-7-a")
	evil := "\x1b]52;c;ZXZpbA==\x07\x1b[2Jgone\r\u202eover\xff"
	p.say(1, "train-7-a", evil+"\n")
	out, _ := p.logs(0, "train-7", "--color", "always", "--prefix", "always")
	if rest := strings.NewReplacer("\x1b[0m", "", "\x1b[36m", "").Replace(out); strings.Count(out, "\x1b") != 2 || !strings.HasSuffix(rest, ` \u202eover\xffbA==\x07\x1b[2Jgone`+"\n") {
		t.Errorf("hostile logs in color: printed %q, want the line escaped, and its end over its beginning", out)
	}
	if out, _ := p.logs(0, "train-7", "-o", "raw"); out != evil+"\n" {
		t.Errorf("hostile logs -o raw: printed %q, want the line unchanged", out)
	}
	out, _ = p.logs(0, "train-7", "-o", "ndjson")
	var line jsonLine
	if err := json.Unmarshal([]byte(out), &line); err != nil || line.Pod != "train-7-a" || line.Bytes == "" || !strings.HasPrefix(*line.Text, "\x1b]52;c;") {
		t.Errorf("hostile logs -o ndjson: printed %q, error %v; want the pod, the bytes and the text", out, err)
	}
	p.say(2, "train-7-a", strings.Repeat("x", 9<<20)+"\nafter\n")
	out, _ = p.logs(0, "train-7", "--tail", "2")
	if !strings.HasSuffix(out, "xxx … [9,175,040 more bytes]\nafter\n") || len(out) > 300<<10 {
		t.Errorf("got %d bytes that end with %q, want the long line cut, and the line after it", len(out), out[max(0, len(out)-100):])
	}
	out, _ = p.logs(0, "train-7", "-o", "json", "--tail", "2")
	var all []jsonLine
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 2 || all[0].Cut != 9_175_040 || *all[1].Text != "after" {
		t.Errorf("got %d lines and error %v, want 2, the first one cut", len(all), err)
	}
}

func TestKeptLogs(t *testing.T) {
	t.Parallel()
	p := serve(t, apitest.Config{})
	url := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	uid := newLoggingJob(t, p, "train-7")
	if _, said := p.logs(1, "job/train-7"); !strings.Contains(said, "no pod of job/train-7 exists, because it is Submitted; -f waits for its pods") {
		t.Errorf("logs of a waiting job: said %q, want that -f waits for its pods", said)
	}
	if _, err := apitest.Modify(p.Server, newJob("ml", "train-7"), func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}); err != nil {
		t.Fatal(err)
	}
	_, said := p.logs(1, "job/train-7")
	if !strings.Contains(said, "no pod of job/train-7 exists, so its logs are gone from the cluster; name a database with --db if a recorder keeps them (`vedette record --keep-logs TYPE`)") {
		t.Errorf("logs of a job without pods: said %q, want a hint at --db", said)
	}
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, said := p.logs(1, "job/train-7", "--db", url); !strings.Contains(said, "no pod of job/train-7 exists, and no log of it was kept; `vedette record --keep-logs TYPE` keeps") {
		t.Errorf("logs of a job without pods and without kept logs: said %q, want a hint at --keep-logs", said)
	}
	log := joblog.Log{
		ClusterUID: "c", Namespace: "ml", Pod: "train-7-x", PodUID: "x", Container: "main", OwnerUID: uid, OwnerKind: "Job", OwnerName: "train-7",
		JobUID: uid, Started: began, Ended: began.Add(time.Minute), ExitCode: 1,
	}
	lines := []joblog.Line{{Time: began.Add(time.Second), Text: "kept one"}, {Time: began.Add(2 * time.Second), Text: "kept \x1b[2J two"}}
	if err := errors.Join(joblog.New(db, joblog.Limits{}, nil).Put(t.Context(), log, lines), db.Close()); err != nil {
		t.Fatal(err)
	}
	out, said := p.logs(0, "job/train-7", "--db", url)
	if out != "kept one\nkept \\x1b[2J two\n" || strings.Count(said, "kept log of container main of pod train-7-x, 2 lines, fetched ") != 1 {
		t.Errorf("kept logs: printed %q, said %q; want both lines and their origin once", out, said)
	}
	out, said = p.logs(0, "job/train-7", "--db", url, "--tail", "1")
	if out != "kept \\x1b[2J two\n" || !strings.Contains(said, "of pod train-7-x, last line, fetched ") {
		t.Errorf("kept logs --tail 1: printed %q, said %q; want the last line and its origin", out, said)
	}
}
