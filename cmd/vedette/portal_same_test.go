package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

// newJobArchive returns a database with jobs, a chain of attempts and their pods, whose cluster
// still runs.
func newJobArchive(t *testing.T, cfg apitest.Config) *archive {
	t.Helper()
	r := &archive{t: t, srv: serve(t, cfg), db: "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	for _, name := range []string{"kube-system", "ml"} {
		r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	p := start(t, "record", "jobs,pods", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db)
	t.Cleanup(p.interrupt)
	p.err.holds(t, "recording")
	newLoggingJob(t, r.srv, "train", "train-a", "train-b")
	r.srv.say(1, "train-a", "one\n\x1b[31mtwo\xff\n")
	r.srv.say(2, "train-b", "three\n")
	newLoggingJob(t, r.srv, "alone", "alone-a")
	r.srv.say(1, "alone-a", "first\nlast\n")
	newLoggingJob(t, r.srv, "waits")
	r.until("waits", 1)
	r.srv.finish(r.job("alone"), batchv1.JobFailed, "BackoffLimitExceeded")
	r.until("alone", 2)
	if code, _, errs := r.retry("alone", "--set", "spec.parallelism=3"); code != 0 {
		t.Fatalf("retry of alone failed: %s", errs)
	}
	r.until("alone-r2", 1)
	return r
}

// job returns a job of the cluster.
func (r *archive) job(name string) *batchv1.Job {
	r.t.Helper()
	for _, job := range r.srv.jobsOf("ml") {
		if job.Name == name {
			job.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
			return job
		}
	}
	r.t.Fatalf("there is no job %s", name)
	return nil
}

// retry runs `vedette retry` against the cluster.
func (r *archive) retry(args ...string) (code int, out, errs string) {
	r.t.Helper()
	p := start(r.t, append([]string{"retry", "--kubeconfig", r.srv.kubeconfig, "-n", "ml"}, args...)...)
	code = p.end()
	return code, p.out.String(), p.err.String()
}

// goesOn matches durations outside fields that grow between two commands.
var goesOn = regexp.MustCompile(`\d+(ms|s)\b|[▏━╌▚█▌]+`)

// TestServerPrintsJobsTheSame checks that commands for jobs print the same through a portal as from
// its database and its cluster.
func TestServerPrintsJobsTheSame(t *testing.T) {
	home(t)
	r := newJobArchive(t, apitest.Config{})
	templates := t.TempDir()
	writeFile(t, filepath.Join(templates, "tune.yaml"), smallTemplate("tune", "folder"))
	writeFile(t, filepath.Join(templates, "volcano.yaml"), smallTemplate("volcano", "folder"))
	writeFile(t, filepath.Join(templates, "broken.yml"), "name: ray\ntype: rayjobs.ray.io\nparameter: []\nobject: {}\n")
	base := startPortal(t, r, "--portal-templates", templates)
	awaitReady(t, base)
	awaitJob(t, base, "name=alone-r2")
	job := writeFile(t, filepath.Join(t.TempDir(), "bad.yaml"), "# lines that no program sends\n\n"+strings.Replace(jobFile, "parallelism", "paralelism", 1))
	cluster := []string{"--kubeconfig", r.srv.kubeconfig}
	database := append([]string{"--db", r.db}, cluster...)
	local := append([]string{"--templates", templates}, cluster...)
	for line, with := range map[string][]string{
		"jobs -n ml":                                 database,
		"jobs -n ml -o json":                         database,
		"jobs -A -o wide --sort name":                database,
		"jobs -A -o csv --state Failed":              database,
		"jobs -A -o name -l app=none":                database,
		"history job/alone -n ml":                    database,
		"history job/alone-r2 -n ml -o wide":         database,
		"history jobs -A -o ndjson":                  database,
		"stats jobs -A":                              database,
		"stats -A -o json":                           database,
		"logs job/train -n ml":                       database,
		"logs train -n ml --prefix never":            database,
		"logs train -n ml -o json":                   database,
		"logs train -n ml -o ndjson --tail 1":        database,
		"logs train -n ml -o raw":                    database,
		"logs train -n ml --pod train-b -c main":     database,
		"logs train -n ml --pod none":                database,
		"logs alone -n ml --timestamps --tail 0":     database,
		"logs alone -n ml --attempt last --since 2h": database,
		"logs waits -n ml":                           database,
		"logs waits -n ml --tail -2":                 database,
		"template ls":                                local,
		"template ls -o json":                        local,
		"template show tune":                         local,
		"template show ray":                          local,
		"template show pytorch -o json":              local,
		"template show pytorch -o yaml":              local,
		"template show none":                         local,
		"submit --template none -n ml":               local,
		"submit --template tune -n ml":               local,
		"submit --template tune -n ml --image a --dry-run -o yaml --key k": local,
		"submit -n ml --image a --name alone":                              cluster,
		"submit -n ml --dry-run -f " + job:                                 cluster,
		"submit -n ml --image a --name b --dry-run":                        cluster,
		"submit -n other --dry-run -f " + job:                              cluster,
		"submit -n ml --dry-run --follow -f " + job:                        cluster,
		"retry alone -n ml --dry-run -o yaml --key k":                      database,
		"retry alone-r2 -n ml":                                             database,
		"retry none -n ml --set x":                                         nil,
		"cancel job/waits -n ml --dry-run":                                 cluster,
		"cancel job/waits -n ml --dry-run --delete":                        cluster,
		"cancel -n ml -l app=none":                                         cluster,
		"cancel -n ml --delete --suspend x":                                cluster,
	} {
		t.Run(line, func(t *testing.T) {
			args := strings.Fields(line)
			if with == nil { // the words of the sources differ
				p := start(t, append(args, "--server", base)...)
				if code := p.end(); code != 1 || p.out.String() != "" || strings.Count(p.err.String(), "\n") != 1 {
					t.Errorf("it ends with %d: %s", code, p.err)
				}
				return
			}
			want := start(t, append(args, with...)...)
			code := want.end()
			got := start(t, append(args, "--server", base, "--kubeconfig", "/nowhere")...)
			if c := got.end(); c != code {
				t.Errorf("it ends with %d, and without a portal with %d", c, code)
			}
			a, b := sameText(want.out.String(), r, base), sameText(got.out.String(), r, base)
			if a != b {
				t.Errorf("it prints\n%s\nand without a portal\n%s", b, a)
			}
			if a, b := sameText(want.err.String(), r, base), sameText(got.err.String(), r, base); a != b {
				t.Errorf("it says\n%s\nand without a portal\n%s", b, a)
			}
		})
	}
}

// sameText removes the parts of a text that always differ: durations, the flags of the source, and
// the values that a server generates for a dry run.
func sameText(text string, r *archive, base string) string {
	for _, way := range []string{" --server " + base, " --kubeconfig " + r.srv.kubeconfig, " -n ml"} {
		text = strings.ReplaceAll(text, way, "")
	}
	text = regexp.MustCompile(`(?m)^\s*(uid|resourceVersion|creationTimestamp|"uid"|"resourceVersion"|"creationTimestamp"): .*$`).ReplaceAllString(text, "")
	text = goesOn.ReplaceAllString(lasted.ReplaceAllString(text, "$1"), "…")
	return regexp.MustCompile(` +…`).ReplaceAllString(text, " …") // durations are aligned to the right
}

// TestWatchThroughPortal checks that `jobs --watch` shows changes through a portal, and ends.
func TestWatchThroughPortal(t *testing.T) {
	home(t)
	r := newJobArchive(t, apitest.Config{})
	base := startPortal(t, r)
	awaitReady(t, base)
	p := start(t, "jobs", "-A", "--watch", "-o", "name", "--server", base)
	p.out.holds(t, "job.batch/waits\n")
	r.srv.create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "later"}})
	p.out.holds(t, "job.batch/later\n")
	p.interrupt()
}

// TestFollowThroughPortal checks that a log can be followed through a portal to the end of its job,
// even before a pod runs, with the bytes that the container wrote.
func TestFollowThroughPortal(t *testing.T) {
	home(t)
	var looks atomic.Int64 // at the job
	r := newJobArchive(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbGet && r.Resource.Resource == "jobs" && r.Name == "waits" {
			looks.Add(1)
		}
		return nil
	}})
	base := startPortal(t, r)
	awaitReady(t, base)
	awaitJob(t, base, "name=waits")
	for name, want := range map[string]string{
		"job/waits":  "no pod of job/waits exists, because it is Submitted; -f waits for its pods",
		"pods/waits": "pods is not a type of jobs: with --server this command takes jobs only",
	} {
		p := start(t, "logs", name, "-n", "ml", "--server", base, "--kubeconfig", "/nowhere")
		if code := p.end(); code != 1 || !strings.Contains(p.err.String(), want) {
			t.Errorf("logs %s: exit code %d, said %v; want 1 and %q", name, code, p.err, want)
		}
	}
	before := looks.Load()
	p := start(t, "logs", "waits", "-n", "ml", "-f", "-o", "raw", "--server", base, "--kubeconfig", "/nowhere")
	patience.Until(t, "a look at the job, after it was found", func() string {
		if n := looks.Load() - before; n < 2 {
			return fmt.Sprintf("%d looks; it printed %v%v", n, p.out, p.err)
		}
		return ""
	})
	pod := newPod("ml", "waits-a")
	pod.Spec.NodeName = "node-0"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "waits", UID: r.job("waits").UID, Controller: new(true)}}
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}
	r.srv.create(pod)
	r.srv.say(1, "waits-a", "begun \xff\n")
	p.out.holds(t, "begun \xff\n")
	r.srv.say(2, "waits-a", "over\n")
	pod.Status.Phase, pod.Status.ContainerStatuses[0].State = corev1.PodSucceeded, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	if _, err := r.srv.UpdateStatus(pod); err != nil {
		t.Fatal(err)
	}
	r.srv.finish(r.job("waits"), batchv1.JobComplete, "CompletionsReached")
	if code := p.end(); code != 0 || p.out.String() != "begun \xff\nover\n" {
		t.Errorf("it ends with %d:\n%s%s", code, p.out, p.err)
	}
}
