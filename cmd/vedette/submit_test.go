package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
)

// jobFile is a valid job.
const jobFile = `apiVersion: batch/v1
kind: Job
metadata:
  name: train-7
spec:
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: "example.com/train:7", resources: {limits: {nvidia.com/gpu: 4}}}
`

// write writes a file for a test, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// submit runs `vedette submit` to its end.
func (p *platform) submit(args ...string) (code int, out, err string) {
	p.t.Helper()
	run := start(p.t, append([]string{"submit", "--kubeconfig", p.kubeconfig}, args...)...)
	code = run.end()
	return code, run.out.String(), run.err.String()
}

// jobsOf returns the jobs of a server.
func (p *platform) jobsOf(namespace string) []*batchv1.Job {
	p.t.Helper()
	all, err := p.List(&batchv1.Job{}, namespace)
	if err != nil {
		p.t.Fatal(err)
	}
	found := make([]*batchv1.Job, len(all))
	for i, o := range all {
		found[i] = o.(*batchv1.Job)
	}
	return found
}

// TestSubmitFile checks that a file is submitted once for a key, and that the output has the
// namespace and the next commands.
func TestSubmitFile(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	file := write(t, "job.yaml", jobFile)
	at := " --kubeconfig " + srv.kubeconfig
	for _, c := range []struct{ args, want string }{
		{"--dry-run", "job/train-7 would be created in namespace ml (dry run): 2 pods, 8 GPUs, image example.com/train:7\n"},
		{"--dry-run -o name", "job.batch/train-7\n"},
		{"--key k", "job/train-7 submitted to namespace ml; next: `vedette logs job/train-7" + at + " -f`, `vedette cancel job/train-7" + at + "`\n"},
		{"--key k", "job/train-7 was submitted to namespace ml already, with this key, T ago, and is Submitted\n"},
		{"--key k --dry-run", "job/train-7 was submitted to namespace ml already, with this key, T ago, and is Submitted\n"},
		{"-n other", "job/train-7 submitted to namespace other; next: `vedette logs job/train-7" + at + " -n other -f`, `vedette cancel job/train-7" + at + " -n other`\n"},
		{"--name 8", "job/8 submitted to namespace ml; next: `vedette logs job/8" + at + " -f`, `vedette cancel job/8" + at + "`\n"},
	} {
		code, out, errs := srv.submit(append([]string{"-f", file}, strings.Fields(c.args)...)...)
		out = regexp.MustCompile(`[0-9hms]+ ago`).ReplaceAllString(out, "T ago")
		if code != 0 || out != c.want || errs != "" {
			t.Errorf("%s: exit code %d\n%swant\n%s%s", c.args, code, out, c.want, errs)
		}
	}
	code, out, errs := srv.submit("-f", file, "--again", "-o", "name")
	if code != 0 || !regexp.MustCompile(`^job\.batch/train-7-[a-z0-9]{10}\n$`).MatchString(out) {
		t.Errorf("submit --again: exit code %d, printed %s, said %s; want 0 and a name with a suffix", code, out, errs)
	}
	for range 2 {
		code, _, errs := srv.submit("-f", file, "--again", "--key", "again")
		if all := srv.jobsOf("ml"); code != 0 || len(all) != 4 {
			t.Errorf("submit --again with a key: exit code %d, %d jobs, said %s; want 0 and 4", code, len(all), errs)
		}
	}
	for _, args := range [][]string{nil, {"--wait"}, {"--set", "spec.parallelism=3"}} {
		code, out, errs = srv.submit(append([]string{"-f", file}, args...)...)
		if code != 1 || out != "" || errs != "vedette: job/train-7 exists in the namespace ml: it was created by you, with another request, and is Submitted; take another name with --name, or let --again make one\n" {
			t.Errorf("a new request with %v: exit code %d, printed %s, said %s; want 1 and that the job exists", args, code, out, errs)
		}
	}
	if all := srv.jobsOf("ml"); len(all) != 4 {
		t.Errorf("got %d jobs, want 4", len(all))
	}
	code, out, errs = srv.submit("-f", file, "-o", "yaml", "--name", "y", "--set", "spec.suspend=true")
	if code != 0 || !strings.Contains(out, "name: \"y\"\n") || !strings.Contains(out, "suspend: true") || !strings.Contains(out, job.SubmitterAnnotation+": anonymous") || errs != "" {
		t.Errorf("submit -o yaml: exit code %d, printed %s, said %s; want 0 and the manifest with its submitter", code, out, errs)
	}
}

// TestSubmitDocuments checks that a wrong document prevents all creations, and that each mistake has
// its line.
func TestSubmitDocuments(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{CheckNamespaces: true})
	srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "ml"}})
	first := strings.Replace(jobFile, "train-7", "first", 1) + "---\n"
	wrong := "---\n" + strings.Replace(jobFile, "parallelism", "paralelism", 1) + "---\n" + strings.Replace(jobFile, "train-7", "train-8\n  namespace: nowhere", 1)
	file := write(t, "jobs.yaml", first+jobFile+wrong)
	code, out, errs := srv.submit("-f", file)
	for _, want := range []string{file + `:30: unknown field "spec.paralelism"`, file + `:41: metadata.namespace: namespaces "nowhere" not found`} {
		if !strings.Contains(errs, "vedette: "+want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
	if code != 1 || out != "" || len(srv.jobsOf("ml")) != 0 {
		t.Errorf("exit code %d, %d jobs\n%s%s", code, len(srv.jobsOf("ml")), out, errs)
	}
	unnamed := strings.Replace(jobFile, "name: train-7", "generateName: train-", 1)
	file = write(t, "jobs.yaml", first+unnamed+"---\n"+unnamed)
	for range 2 {
		code, out, errs = srv.submit("-f", file, "--key", "commit-1", "-o", "name")
		if code != 0 || !strings.HasPrefix(out, "job.batch/first\njob.batch/train-") || len(srv.jobsOf("ml")) != 3 {
			t.Errorf("exit code %d, %d jobs\n%s%s", code, len(srv.jobsOf("ml")), out, errs)
		}
	}
	if code, _, _ = srv.submit("-f", write(t, "jobs.yaml", unnamed+"---\n"+unnamed)); code != 0 || len(srv.jobsOf("ml")) != 5 {
		t.Errorf("exit code %d: equal documents are %d jobs, want 5", code, len(srv.jobsOf("ml")))
	}
}

// TestSubmitFlags submits jobs without a file, from a built-in and from a custom template.
func TestSubmitFlags(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	args := []string{"--image", "example.com/train:7", "--gpus", "8", "--cpus", "32", "--memory", "256Gi", "--queue", "research", "--env", "A=b=c", "--env", "D=", "--", "python", "train.py", "--epochs=[1]"}
	code, out, errs := srv.submit(args...)
	if code != 0 || !strings.HasPrefix(out, "job/job-") {
		t.Fatalf("submit --image: exit code %d, printed %s, said %s; want 0 and a generated name", code, out, errs)
	}
	j := srv.jobsOf("ml")[0]
	c := j.Spec.Template.Spec.Containers[0]
	if c.Image != "example.com/train:7" || fmt.Sprint(c.Command) != "[python train.py --epochs=[1]]" || len(c.Env) != 2 || c.Env[0].Value != "b=c" ||
		c.Resources.Limits.Name("nvidia.com/gpu", "").String() != "8" || c.Resources.Requests.Cpu().String() != "32" || c.Resources.Limits.Memory().String() != "256Gi" {
		t.Errorf("submit --image: got container %+v, want all of the flags in it", c)
	}
	if j.Labels[job.TemplateLabel] != "job" || j.Labels["kueue.x-k8s.io/queue-name"] != "research" {
		t.Errorf("got labels %v, want the template and the queue", j.Labels)
	}
	if code, _, _ = srv.submit(args...); code != 0 || len(srv.jobsOf("ml")) != 2 {
		t.Errorf("the same command: exit code %d, %d jobs; want 0 and a second job", code, len(srv.jobsOf("ml")))
	}
	own := "name: own\ntype: jobs.batch\nparameters:\n- {name: name, required: true}\n- {name: speed, required: true, type: integer}\n" +
		"object: {apiVersion: batch/v1, kind: Job, metadata: {name: \"${name}\", labels: {speed: \"${'v' + string(speed)}\"}}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}}\n"
	folder := filepath.Dir(write(t, "own.yaml", own))
	if code, out, errs = srv.submit("--templates", folder, "--template", "own", "--name", "a", "--set", "speed=3", "-o", "name"); code != 0 || out != "job.batch/a\n" {
		t.Errorf("submit of a template in a folder: exit code %d, printed %s, said %s; want 0 and job/a", code, out, errs)
	}
	srv.create(&corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: map[string]string{"own.yaml": own},
		ObjectMeta: metav1.ObjectMeta{Namespace: "vedette", Name: "templates", Labels: map[string]string{"vedette.io/templates": "true"}},
	})
	if code, out, errs = srv.submit("--templates-namespace", "vedette", "--template", "own", "--name", "b", "--set", "speed=3", "-o", "name"); code != 0 || out != "job.batch/b\n" {
		t.Errorf("submit of a template in the cluster: exit code %d, printed %s, said %s; want 0 and job/b", code, out, errs)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"missing parameter": {[]string{"--templates", folder, "--template", "own", "--name", "c"}, "speed"},
		"unknown template":  {[]string{"--template", "nosuch"}, `there is no template "nosuch"`},
		"unknown parameter": {[]string{"--image", "x", "--set", "wrokers=4"}, "wrokers"},
		"no image":          {[]string{"--gpus", "8"}, "image"},
		"two sources":       {[]string{"-f", "x", "--image", "y"}, "-f has the whole job"},
		"nothing":           {nil, "name the job"},
		"no dash":           {[]string{"python", "train.py"}, `"python" is no flag`},
		"no file":           {[]string{"-f", "/nowhere/job.yaml"}, "no such file"},
		"env":               {[]string{"--image", "x", "--env", "A"}, "--env A must be NAME=VALUE"},
		"format":            {[]string{"--image", "x", "-o", "wide"}, `unknown output format "wide"`},
		"dry run and wait":  {[]string{"--image", "x", "--dry-run", "--wait"}, "a dry run creates no job"},
	} {
		if code, out, errs := srv.submit(c.args...); code != 1 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %q is not in\n%s%s", name, code, c.want, out, errs)
		}
	}
}

// TestSubmitRepeated checks that a command that gives up names its key, and that the same command
// with this key creates no second job.
func TestSubmitRepeated(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	creation := apitest.Match{Verb: apitest.VerbCreate, Resource: "jobs"}
	inject := func(f apitest.Fault) *apitest.Injection {
		i, err := srv.Inject(f)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	inject(apitest.Fault{Match: creation, After: 1, Action: apitest.Cut(apitest.CutReset)}) // after the dry run
	hangs := inject(apitest.Fault{Match: creation, After: 1, Action: apitest.Hang()})
	run := start(t, "submit", "--kubeconfig", srv.kubeconfig, "--image", "example.com/train:7")
	<-hangs.Struck()
	run.cancel()
	code := run.end()
	_, rest, _ := strings.Cut(run.err.String(), "it is unknown whether job/job-")
	key := regexp.MustCompile("; repeat the command with --key (random-[A-Z0-9]+): it creates no second job\n$").FindStringSubmatch(rest)
	if code != exitInterrupt || key == nil {
		t.Fatalf("exit code %d, said %v; want %d and the key", code, run.err, exitInterrupt)
	}
	code, out, errs := srv.submit("--image", "example.com/train:7", "--key", key[1])
	if all := srv.jobsOf("ml"); code != 0 || !strings.Contains(out, "was submitted to namespace ml already, with this key") || len(all) != 1 {
		t.Errorf("with the key: exit code %d, printed %s, said %s, %d jobs; want 0 and the job of before", code, out, errs, len(all))
	}
}

// TestSubmitDenied checks that the error for a missing right has the role that grants it, and that
// -o yaml prints the role to standard output.
func TestSubmitDenied(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbCreate {
			return errors.New(`User "anonymous" cannot create resource "jobs"`)
		}
		return nil
	}})
	file := write(t, "job.yaml", jobFile)
	code, out, errs := srv.submit("-f", file)
	if code != 1 || out != "" || !strings.HasPrefix(errs, "vedette: the user anonymous may not create jobs.batch in the namespace ml; ask for this role, which `kubectl apply -f -` creates:\napiVersion: rbac") {
		t.Errorf("submit without the right: exit code %d, printed %s, said %s; want 1 and the role", code, out, errs)
	}
	code, out, errs = srv.submit("-f", file, "-o", "yaml")
	if code != 1 || !strings.HasPrefix(out, "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n") || strings.Contains(errs, "apiVersion") {
		t.Errorf("submit -o yaml without the right: exit code %d, printed %s, said %s; want 1 and the role on standard output only", code, out, errs)
	}
}

// TestSubmitFollow checks that the command prints states and reasons of pods until the job ends, and
// that the exit code has the outcome.
func TestSubmitFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(*platform, *batchv1.Job)
		want string
		code int
	}{
		{"succeeded", func(p *platform, j *batchv1.Job) { p.finish(j, batchv1.JobComplete, "") }, "Succeeded", 0},
		{"failed", func(p *platform, j *batchv1.Job) { p.finish(j, batchv1.JobFailed, "BackoffLimitExceeded") }, "Failed: BackoffLimitExceeded", 2},
		{"deleted", func(p *platform, j *batchv1.Job) {
			if err := p.Delete(j); err != nil {
				p.t.Error(err)
			}
		}, "Deleted", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serve(t, apitest.Config{})
			run := start(t, "submit", "--kubeconfig", srv.kubeconfig, "-f", write(t, "job.yaml", jobFile), "--wait")
			run.out.holds(t, "job/train-7  Submitted")
			job := srv.jobsOf("ml")[0]
			pod, other := newPod("ml", "train-7-a"), newPod("ml", "other")
			yes := true
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train-7", UID: job.UID, Controller: &yes}}
			for _, p := range []*corev1.Pod{other, pod} {
				p.Spec.NodeName = "node-1"
				p.Status = corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
					Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "not \x1b[31mfound"}},
				}}}
				srv.create(p)
			}
			run.out.holds(t, `pod train-7-a is Starting: ErrImagePull not \x1b[31mfound`)
			c.end(srv, job)
			code := run.end()
			if code != c.code || !strings.Contains(run.out.String(), "job/train-7  "+c.want+"\n") || strings.Contains(run.out.String(), "pod other") {
				t.Errorf("exit code %d, want %d, and the state %s without another Pod:\n%v%v", code, c.code, c.want, run.out, run.err)
			}
		})
	}
	srv := serve(t, apitest.Config{})
	code, out, errs := srv.submit("-f", write(t, "job.yaml", jobFile), "--wait", "--timeout", "1ms")
	if code != 3 || !strings.Contains(errs, "job/train-7 has not ended within 1ms") {
		t.Errorf("submit --wait --timeout 1ms: exit code %d, printed %s, said %s; want 3 and that the job has not ended", code, out, errs)
	}
}

// TestSubmitLogs checks that --follow prints the lines of the pods, escaped, and ends with the job.
func TestSubmitLogs(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	run := start(t, "submit", "--kubeconfig", srv.kubeconfig, "-f", write(t, "job.yaml", jobFile), "--follow")
	run.out.holds(t, "job/train-7  Submitted")
	job := srv.jobsOf("ml")[0]
	pod := newPod("ml", "train-7-a")
	yes := true
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train-7", UID: job.UID, Controller: &yes}}
	pod.Spec.NodeName = "node-1"
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}
	srv.create(pod)
	if err := srv.WriteLog("ml", "train-7-a", "main", "epoch 1\x1b[31m\n"); err != nil {
		t.Fatal(err)
	}
	run.out.holds(t, `train-7-a/main #1 epoch 1\x1b[31m`+"\n")
	if err := srv.WriteLog("ml", "train-7-a", "main", "epoch 2\n"); err != nil {
		t.Fatal(err)
	}
	pod.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}}}
	if _, err := srv.UpdateStatus(pod); err != nil {
		t.Fatal(err)
	}
	srv.finish(job, batchv1.JobComplete, "")
	if code := run.end(); code != 0 || !strings.Contains(run.out.String(), "train-7-a/main #1 epoch 2\n") {
		t.Errorf("exit code %d, want 0 and the line of the log:\n%v%v", code, run.out, run.err)
	}
}

// TestSubmitInterrupted checks that Ctrl-C ends the wait and not the job.
func TestSubmitInterrupted(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	run := start(t, "submit", "--kubeconfig", srv.kubeconfig, "-f", write(t, "job.yaml", jobFile), "--follow")
	run.out.holds(t, "job/train-7  Submitted")
	run.cancel()
	if code := run.end(); code != 130 || !strings.Contains(run.err.String(), "interrupted; job/train-7 is Submitted, and continues; `vedette cancel job/train-7") {
		t.Errorf("exit code %d, want 130, and that the job continues:\n%v%v", code, run.out, run.err)
	}
	if len(srv.jobsOf("ml")) != 1 {
		t.Error("the job is gone")
	}
}

// finish ends a job.
func (p *platform) finish(job *batchv1.Job, how batchv1.JobConditionType, reason string) {
	p.t.Helper()
	job.Status.Conditions = []batchv1.JobCondition{{Type: how, Status: corev1.ConditionTrue, Reason: reason}}
	if _, err := p.UpdateStatus(job); err != nil {
		p.t.Error(err)
	}
}
