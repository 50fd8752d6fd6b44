package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
)

// pytorch is the type PyTorchJob without its operator.
var pytorch = apitest.Type{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob", Namespaced: true}

// gpuJob returns a job with GPUs and a submitter.
func gpuJob(namespace, name, user, queue string, gpus int64) *batchv1.Job {
	j := newJob(namespace, name)
	j.Labels = map[string]string{"team": "llm"}
	if queue != "" {
		j.Labels["kueue.x-k8s.io/queue-name"] = queue
	}
	j.Annotations = map[string]string{job.SubmitterAnnotation: user}
	limits := corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(gpus, resource.DecimalSI)}
	j.Spec.Template.Spec = corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train", Resources: corev1.ResourceRequirements{Limits: limits}}}}
	return j
}

// run begins a job, with a pod on a node.
func (p *platform) begin(job *batchv1.Job, node string) {
	p.t.Helper()
	now := metav1.Now()
	job.Status.StartTime, job.Status.Active, job.Status.Ready = &now, 1, new(int32)
	*job.Status.Ready = 1
	if _, err := p.UpdateStatus(job); err != nil {
		p.t.Fatal(err)
	}
	stored, err := p.Get(job)
	if err != nil {
		p.t.Fatal(err)
	}
	pod := newPod(job.Namespace, job.Name+"-0")
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(stored.(*batchv1.Job), batchv1.SchemeGroupVersion.WithKind("Job"))}
	pod.Spec.NodeName = node
	p.create(pod)
	p.phase(pod, corev1.PodRunning, "")
}

// withJobs is a server with jobs of several types in several states.
func withJobs(t *testing.T, cfg apitest.Config) *platform {
	t.Helper()
	cfg.Types = append(cfg.Types, pytorch)
	srv := recordable(t, cfg)
	runs, waits, fails := gpuJob("ml", "runs", "ann", "h100", 8), gpuJob("ml", "waits", "bob", "h100", 4), gpuJob("ml", "fails", "ann", "", 0)
	waits.Spec.Suspend = new(bool)
	*waits.Spec.Suspend = true
	child := gpuJob("ml", "child", "ann", "", 1)
	child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet", Name: "set", UID: "u", Controller: waits.Spec.Suspend}}
	container := map[string]any{"containers": []any{map[string]any{"name": "pytorch", "resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": int64(8)}}}}}
	replica := map[string]any{"replicas": int64(2), "template": map[string]any{"spec": container}}
	torch := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": map[string]any{"namespace": "ml", "name": "torch"},
		"spec": map[string]any{"pytorchReplicaSpecs": map[string]any{"Worker": replica}},
	}}
	srv.create(runs, waits, fails, child, torch, gpuJob("web", "other", "ann", "", 1))
	srv.begin(runs, "gpu-17")
	srv.finish(waits, batchv1.JobSuspended, "JobSuspended")
	srv.finish(fails, batchv1.JobFailed, "BackoffLimitExceeded")
	return srv
}

// jobs runs `vedette jobs` to its end.
func (p *platform) jobs(args ...string) (code int, out, err string) {
	p.t.Helper()
	run := start(p.t, append([]string{"jobs", "--kubeconfig", p.kubeconfig}, args...)...)
	code = run.end()
	return code, run.out.String(), run.err.String()
}

// times matches the parts that differ between two runs.
var times = regexp.MustCompile(`\d+[smhd]( \d+[smh])?`)

// rowsOf returns the first words of the lines of a table.
func rowsOf(out string) (rows []string) {
	for line := range strings.Lines(out) {
		rows = append(rows, strings.Fields(line)[0])
	}
	return rows
}

// TestJobsOfCluster checks that the list without a database has all served types of jobs, without
// parts of jobs.
func TestJobsOfCluster(t *testing.T) {
	t.Parallel()
	srv := withJobs(t, apitest.Config{})
	for _, c := range []struct {
		args string
		want []string // first words of the lines
		says string
	}{
		{"", []string{"NAME", "runs", "torch", "waits", "fails"}, "4 jobs: 1 running, 1 submitted, 1 queued, 1 failed\n"},
		{"-A --no-headers", []string{"ml", "ml", "ml", "web", "ml"}, "5 jobs: 1 running, 2 submitted, 1 queued, 1 failed\n"},
		{"--state running,Failed", []string{"NAME", "runs", "fails"}, "2 jobs: 1 running, 1 failed\n"},
		{"--queue h100", []string{"NAME", "runs", "waits"}, "2 jobs: 1 running, 1 queued\n"},
		{"--user ann --sort name", []string{"NAME", "fails", "runs"}, "2 jobs: 1 running, 1 failed\n"},
		{"--type pytorchjobs", []string{"NAME", "torch"}, "1 job: 1 submitted\n"},
		{"-l team=llm --sort gpus --no-headers", []string{"runs", "waits", "fails"}, "3 jobs: 1 running, 1 queued, 1 failed\n"},
		{"--limit 1", []string{"NAME", "runs"}, "the first 1 job: 1 running; open in all: 1 running, 1 submitted, 1 queued\nall jobs: --limit 0\n"},
		{"--state Aborted --queue x", nil, "no job matches --state Aborted --queue x in the namespace ml; -A lists all namespaces\n"},
		{"-n web --sort state", []string{"NAME", "other"}, "1 job: 1 submitted\n"},
		{"-o name --sort name", []string{"job.batch/fails", "job.batch/runs", "pytorchjob.kubeflow.org/torch", "job.batch/waits"}, ""},
	} {
		code, out, errs := srv.jobs(strings.Fields(c.args)...)
		got := rowsOf(out)
		if c.want != nil && !strings.Contains(c.args, "--sort") { // created in one second
			slices.Sort(got)
			slices.Sort(c.want)
		}
		if code != 0 || errs != c.says || !slices.Equal(got, c.want) {
			t.Errorf("jobs %s: exit code %d, got %q, want 0, %q and the text %q:\n%s%s", c.args, code, got, c.want, c.says, out, errs)
		}
	}
	_, out, _ := srv.jobs("--state", "Running")
	if !regexp.MustCompile(`(?m)^runs  +Running +\S+.* 8  h100   ann +1  .* gpu-17$`).MatchString(times.ReplaceAllString(out, "T")) {
		t.Errorf("got\n%s\nwant the running job with its GPUs, submitter and node", out)
	}
	if _, _, says := srv.jobs("-A", "--queue", "x", "--mine", "--user", "y"); says != "no job matches --queue x --user y --mine\n" {
		t.Errorf("jobs of an empty answer: said %q, want that no job matches the filters", says)
	}
	if _, out, _ = srv.jobs("--state", "Failed"); !strings.Contains(out, "BackoffLimitExceeded") || strings.Contains(out, "QUEUE") || strings.Contains(out, "GPUS") {
		t.Errorf("columns that are empty are left out:\n%s", out)
	}
}

// TestJobsDocuments checks that all formats have the same jobs, with numbers and times for programs.
func TestJobsDocuments(t *testing.T) {
	t.Parallel()
	srv := withJobs(t, apitest.Config{})
	_, out, errs := srv.jobs("-o", "json", "--sort", "name")
	var list struct{ Items []joblist.Document }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 4 || errs != "" {
		t.Fatalf("jobs -o json: error %v, output %s, said %s; want 4 jobs and no text", err, out, errs)
	}
	torch := list.Items[2]
	if torch.GPUs != 16 || torch.Pods != 2 || torch.Type != "pytorchjobs.kubeflow.org" || torch.State != "Submitted" || torch.Presence != "Present" && torch.Presence != "present" {
		t.Errorf("jobs -o json: got %+v, want 16 GPUs, 2 Pods, type pytorchjobs, Submitted and present", torch)
	}
	if runs := list.Items[1]; runs.Node != "gpu-17" || runs.Submitter != "ann" || len(runs.Life) == 0 {
		t.Errorf("jobs -o json: got %+v, want node gpu-17, submitter ann and a life", runs)
	}
	if _, out, _ = srv.jobs("-o", "ndjson"); strings.Count(out, "\n") != 4 {
		t.Errorf("jobs -o ndjson: got %q, want 4 lines", out)
	}
	if _, out, _ = srv.jobs("-o", "csv", "--sort", "name"); !strings.HasPrefix(out, "cluster,type,namespace,name,uid,state,") || strings.Count(out, "\n") != 5 {
		t.Errorf("jobs -o csv: got %q, want a header and 4 lines", out)
	}
	if _, out, _ = srv.jobs("-o", "wide"); !strings.Contains(out, "UID") || !strings.Contains(out, "pytorchjobs.kubeflow.org") {
		t.Errorf("jobs -o wide: got %q, want the UID and the full type", out)
	}
}

// TestJobsDenied checks that a type without the right to list is a note with a role, and that the
// command fails if no type may be listed.
func TestJobsDenied(t *testing.T) {
	t.Parallel()
	denied := "pytorchjobs"
	srv := withJobs(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbList && (denied == r.Resource.Resource || denied == "all" && r.Resource.Resource != "pods") {
			return fmt.Errorf("User %q cannot list resource %q in API group %q in the namespace %q", r.User, r.Resource.Resource, r.Resource.Group, r.Namespace)
		}
		return nil
	}})
	code, out, errs := srv.jobs()
	if code != 0 || strings.Contains(out, "torch") || !strings.Contains(out, "runs") || strings.Count(errs, "note: ") != 1 ||
		!strings.Contains(errs, "may not list pytorchjobs.kubeflow.org in the namespace ml") || !strings.Contains(errs, "kind: Role\n") {
		t.Errorf("jobs without the right to one type: exit code %d, printed %s, said %s; want 0, the others and one note with the role", code, out, errs)
	}
	denied = "all"
	if code, out, errs = srv.jobs(); code != 1 || out != "" || !strings.Contains(errs, "may not list") || !strings.Contains(errs, "kind: RoleBinding") {
		t.Errorf("jobs without any right: exit code %d, printed %s, said %s; want 1, nothing and the role", code, out, errs)
	}
}

// TestJobsOfHistory checks that the history lists existing and deleted jobs with their outcome,
// page by page.
func TestJobsOfHistory(t *testing.T) {
	t.Parallel()
	srv := withJobs(t, apitest.Config{})
	db := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	r := start(t, "record", "jobs,pytorchjobs.kubeflow.org,pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", db)
	for _, name := range []string{"runs", "waits", "fails", "child"} {
		recorded(t, db, "jobs.batch", name)
	}
	recorded(t, db, "pytorchjobs.kubeflow.org", "torch")
	recordedAs(t, db, "pods", "runs-0", func(o history.Object) bool { return o.State == "Running" })
	compare := func(args ...string) {
		t.Helper()
		var both [2][]joblist.Document
		for i, more := range [][]string{{"--live"}, {"--db", db}} {
			_, out, errs := srv.jobs(slices.Concat(args, more, []string{"-o", "json", "--sort", "name"})...)
			var list struct{ Items []joblist.Document }
			if err := json.Unmarshal([]byte(out), &list); err != nil || errs != "" {
				t.Fatalf("jobs -o json: error %v, output %s, said %s; want a JSON list and no text", err, out, errs)
			}
			for _, j := range list.Items {
				j.Life, j.WaitedSeconds, j.RanSeconds, j.Since, j.Ended, j.Cluster, j.Message = nil, 0, 0, "", "", "", ""
				both[i] = append(both[i], j)
			}
		}
		if a, b := fmt.Sprintf("%+v", both[0]), fmt.Sprintf("%+v", both[1]); a != b || len(both[0]) == 0 {
			t.Errorf("jobs %q:\nlive    %s\nhistory %s", args, a, b)
		}
	}
	compare("-A")
	compare("--state", "Running")
	compare("--user", "ann", "-A")
	if err := srv.Delete(newJob("ml", "fails")); err != nil {
		t.Fatal(err)
	}
	recordedAs(t, db, "jobs.batch", "fails", func(o history.Object) bool { return !o.Gone.IsZero() })
	r.interrupt()
	_, out, _ := srv.jobs("--db", db, "--state", "Failed")
	if !regexp.MustCompile(`(?m)^fails  +Failed \(deleted\) .*BackoffLimitExceeded`).MatchString(out) {
		t.Errorf("got\n%s\nwant the deleted job as Failed with its reason", out)
	}
	var names []string
	after := ""
	for range 6 {
		args := []string{"--db", db, "-A", "--limit", "2"}
		if after != "" {
			args = append(args, "--after", after)
		}
		_, out, errs := srv.jobs(args...)
		for line := range strings.Lines(out) {
			if f := strings.Fields(line); f[0] != "NAMESPACE" {
				names = append(names, f[1])
			}
		}
		_, rest, more := strings.Cut(errs, "--after ")
		if after, _, _ = strings.Cut(rest, ";"); !more {
			break
		}
	}
	slices.Sort(names)
	if want := []string{"fails", "other", "runs", "torch", "waits"}; !slices.Equal(names, want) {
		t.Errorf("pages have %q, want %q", names, want)
	}
}

// TestJobsMine checks that the cluster identifies the user.
func TestJobsMine(t *testing.T) {
	srv := withJobs(t, apitest.Config{})
	mine := gpuJob("ml", "mine", "", "", 1)
	_, who, _ := srv.jobs("--mine", "-o", "json")
	if strings.Contains(who, "runs") {
		t.Errorf("jobs --mine: got %s, want no job of another submitter", who)
	}
	user, err := askUser(t.Context(), kube.Config{Kubeconfig: srv.kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	mine.Annotations[job.SubmitterAnnotation] = user
	srv.create(mine)
	if _, out, errs := srv.jobs("--mine"); !slices.Equal(rowsOf(out), []string{"NAME", "mine"}) {
		t.Errorf("jobs --mine: printed %s, said %s; want only the job mine", out, errs)
	}
	t.Setenv("VEDETTE_USER", "bob")
	if _, out, errs := srv.jobs("--mine"); !slices.Equal(rowsOf(out), []string{"NAME", "waits"}) {
		t.Errorf("jobs --mine with VEDETTE_USER: printed %s, said %s; want only the job waits", out, errs)
	}
}

// TestJobsWatch checks that each change is a line in a pipe.
func TestJobsWatch(t *testing.T) {
	t.Parallel()
	srv := withJobs(t, apitest.Config{})
	p := start(t, "jobs", "--kubeconfig", srv.kubeconfig, "--watch")
	p.out.holds(t, "waits")
	p.out.holds(t, "torch")
	job := gpuJob("ml", "later", "ann", "", 2)
	srv.create(job)
	p.out.holds(t, "later")
	srv.finish(job, batchv1.JobComplete, "")
	p.out.until(t, "its end", func(text string) bool {
		return regexp.MustCompile(`(?m)^later +Succeeded `).MatchString(text)
	})
	if err := srv.Delete(job); err != nil {
		t.Fatal(err)
	}
	p.out.until(t, "its deletion", func(text string) bool {
		return regexp.MustCompile(`(?m)^later +Succeeded \(deleted\)`).MatchString(text)
	})
	if n := strings.Count(p.out.String(), "\nwaits "); n != 1 {
		t.Errorf("a job that did not change has %d lines:\n%s", n, p.out)
	}
	p.interrupt()
}
