package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
)

// vedette runs a command against the server to its end.
func (p *platform) vedette(command string, args ...string) (code int, out, err string) {
	p.t.Helper()
	run := start(p.t, append([]string{command, "--kubeconfig", p.kubeconfig}, args...)...)
	code = run.end()
	return code, strings.ReplaceAll(run.out.String(), " --kubeconfig "+p.kubeconfig, ""), strings.ReplaceAll(run.err.String(), " --kubeconfig "+p.kubeconfig, "")
}

// TestCancelCommand checks the output and the exit codes of the command.
func TestCancelCommand(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	queued := newJob("ml", "queued")
	queued.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "gpu"}
	ended := newJob("ml", "ended")
	srv.create(newJob("ml", "train-7"), queued, ended, newJob("ml", "dry"))
	if _, err := apitest.Modify(srv.Server, ended, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: "True"}}
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args      string
		code      int
		out, errs string
	}{
		{"", 1, "", "vedette: name the jobs, such as job/train-7, or select them with -l\n"},
		{"train-7 -l a=b", 1, "", "vedette: name the jobs, such as job/train-7, or select them with -l\n"},
		{"train-7 --delete --suspend", 1, "", "vedette: --delete and --suspend exclude each other\n"},
		{"train-7 -o json", 1, "", "vedette: unknown output format \"json\"; use name\n"},
		{"dry --dry-run", 0, "job/dry would be suspended in namespace ml (dry run)\n", ""},
		{"train-7 --reason wrong\u202edata", 0, "job/train-7 cancelled in namespace ml: suspended; next: `vedette retry job/train-7`\n", ""},
		{"job/train-7", 0, "job/train-7 was cancelled already, T ago, by anonymous: wrong\\u202edata\n", ""},
		{"job/queued ended missing", 1, "job/queued cancelled in namespace ml: deleted; its history stays\n", "vedette: job/ended has ended already: it is Succeeded\nvedette: no job missing is in the namespace ml\n"},
		{"job/dry --delete -o name", 0, "job.batch/dry\n", ""},
	} {
		code, out, errs := srv.vedette("cancel", strings.Fields(c.args)...)
		out = regexp.MustCompile(`[0-9hms.]+ ago`).ReplaceAllString(out, "T ago")
		if code != c.code || out != c.out || errs != c.errs {
			t.Errorf("%s: exit code %d\n%q\n%q\nwant %d\n%q\n%q", c.args, code, out, errs, c.code, c.out, c.errs)
		}
	}
}

// TestCancelSelector checks that the command cancels the open jobs after a question.
func TestCancelSelector(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	for _, name := range []string{"a", "b", "c"} {
		job := newJob("ml", name)
		job.Labels = map[string]string{"sweep": "lr"}
		srv.create(job)
		if name == "c" {
			if _, err := apitest.Modify(srv.Server, job, func(j *batchv1.Job) {
				j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True"}}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, out, errs := srv.vedette("cancel", "-l", "sweep=lr")
	if code != 1 || out != "" || errs != "  job/a\n  job/b\nvedette: this cancels 2 jobs in namespace ml: add --yes to do it\n" {
		t.Errorf("cancel of two jobs: exit code %d, printed %q, said %q; want 1, nothing, the jobs and --yes", code, out, errs)
	}
	code, out, errs = srv.vedette("cancel", "-l", "sweep=lr", "--yes", "-o", "name")
	if code != 0 || out != "job.batch/a\njob.batch/b\n" || errs != "" {
		t.Errorf("cancel of two jobs with --yes: exit code %d, printed %q, said %q; want 0 and both names", code, out, errs)
	}
	code, out, errs = srv.vedette("cancel", "-l", "sweep=none", "--yes")
	if code != 0 || out != "" || errs != "no job with sweep=none runs or waits\n" {
		t.Errorf("cancel of no jobs: exit code %d, printed %q, said %q; want 0 and a line for people", code, out, errs)
	}
}

// TestCancelWithoutRight checks that the command prints a role with the missing right, and an
// error for each other job.
func TestCancelWithoutRight(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbPatch {
			return forbidden(`User "ann" cannot patch resource "jobs"`)
		}
		return nil
	}})
	srv.create(newJob("ml", "train-7"))
	code, out, errs := srv.vedette("cancel", "train-7", "missing")
	if code != 1 || out != "" || !strings.HasPrefix(errs, "vedette: no job missing is in the namespace ml\nvedette: the user anonymous may not patch jobs.batch in the namespace ml; ask for this role") || !strings.Contains(errs, "- patch") {
		t.Errorf("cancel without the right: exit code %d, printed %q, said %q; want 1, the missing job and the role", code, out, errs)
	}
}

type forbidden string

func (f forbidden) Error() string { return string(f) }

// TestRetryAndHistory checks that a cancelled job can be retried, even after it was deleted, and
// that the history shows the chain with actor, reason and change.
func TestRetryAndHistory(t *testing.T) {
	srv := serve(t, apitest.Config{})
	srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	db := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	recorder := start(t, "record", "jobs.batch,namespaces", "-A", "--kubeconfig", srv.kubeconfig, "--db", db)
	recorder.err.holds(t, "recording")
	file := write(t, "job.yaml", jobFile)
	reached := func(name, state string) {
		t.Helper()
		patience.Until(t, name+" is "+state, func() string { // until the type is recorded, wait fails
			wait := start(t, "wait", "job/"+name, "-n", "ml", "--db", db, "--for", "state="+state, "--any")
			if wait.end() == 0 {
				return ""
			}
			return wait.err.String()
		})
	}
	if code, _, errs := srv.vedette("submit", "-f", file); code != 0 {
		t.Fatalf("submit failed: %s", errs)
	}
	reached("train-7", "Submitted")
	code, _, errs := srv.vedette("retry", "train-7")
	if code != 1 || errs != "vedette: job/train-7 has not ended: it is Submitted; cancel it first (`vedette cancel job/train-7`), or add --anyway\n" {
		t.Errorf("retry of a job that has not ended: exit code %d, said %q; want 1 and --anyway", code, errs)
	}
	if code, out, errs := srv.vedette("cancel", "train-7", "--delete", "--reason", "wrong data"); code != 0 {
		t.Fatalf("cancel with --delete failed: %s%s", out, errs)
	}
	reached("train-7", "Deleted")
	code, _, errs = srv.vedette("retry", "train-7")
	if code != 1 || errs != "vedette: no job train-7 is in the namespace ml; --db finds it in the history if it was recorded\n" {
		t.Errorf("retry of a deleted job: exit code %d, said %q; want 1 and a hint at --db", code, errs)
	}
	for _, again := range []string{"submitted to namespace ml; next: `vedette logs job/train-7-r2 -f`, `vedette cancel job/train-7-r2`\n", "was submitted to namespace ml already"} {
		code, out, errs := srv.vedette("retry", "train-7", "--db", db, "--set", "image=example.com/train:8", "--key", "k")
		if code != 0 || !strings.HasPrefix(out, "job/train-7-r2 "+again) || !strings.Contains(errs, "warning: job/train-7 is deleted") != strings.HasPrefix(again, "was") {
			t.Errorf("retry from the history: exit code %d, printed %q, said %q; want 0, job/train-7-r2 and a warning the first time only", code, out, errs)
		}
	}
	reached("train-7-r2", "Submitted")
	if code, out, errs := srv.vedette("retry", "train-7-r2", "--db", db, "--anyway", "--name", "mine", "-o", "name"); code != 0 || out != "job.batch/mine\n" {
		t.Errorf("retry with --anyway: exit code %d, printed %q, said %q; want 0 and job/mine", code, out, errs)
	}
	reached("mine", "Submitted")
	if by := srv.jobsOf("ml")[0].Annotations[job.RetryOfNameAnnotation]; by != "train-7-r2" {
		t.Errorf("mine repeats %s, want train-7-r2", by)
	}
	shown := start(t, "history", "job/train-7-r2", "-n", "ml", "--db", db)
	if code := shown.end(); code != 0 {
		t.Fatalf("history of the retry failed: %s", shown.err.String())
	}
	_, chain, _ := strings.Cut(shown.out.String(), "\n\nattempts\n")
	var rows []string
	for row := range strings.Lines(chain) {
		rows = append(rows, strings.Join(strings.Fields(row), " "))
	}
	want := []string{
		"ATTEMPT NAME STATE RAN SUBMITTER WHY CHANGED",
		"1 train-7 Aborted anonymous Cancelled anonymous: wrong data",
		"2 train-7-r2 Submitted anonymous spec.template.spec.containers[0].image=example.com/train:8 (was example.com/train:7)",
		"3 mine Submitted anonymous nothing",
	}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("the chain:\n%s\nwant:\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	recorder.interrupt()
}
