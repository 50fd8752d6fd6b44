package submit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/submit"
)

const failedJob = plainStatus + "status: {conditions: [{type: Failed, status: 'True'}]}\n"

const plainStatus = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train-7}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}\n"

// retry repeats a job, and fails the test on an error.
func (y *yard) retry(of submit.Job, o submit.RetryOptions) submit.Result {
	y.Helper()
	result, err := y.client.Retry(y.Context(), of, o)
	if err != nil {
		y.Fatal(err)
	}
	return result
}

// TestRetryCopy: the copy has the fields that the user wrote, and no others.
func TestRetryCopy(t *testing.T) {
	const from = `
    uid: 0bcbde3e-8960-4961-ad34-668f0e3945bb
    resourceVersion: "7"
    creationTimestamp: "2026-03-01T09:00:00Z"
    generation: 3
    finalizers: [foregroundDeletion]
    ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]
    managedFields: [{manager: x}]`
	const marks = `vedette.io/submitter: bob, vedette.io/request-key: k, vedette.io/cancelled-by: bob, vedette.io/cancel: suspend, vedette.io/cancelled-at: x, vedette.io/cancel-reason: y`
	for _, c := range []struct{ name, object, want string }{
		{"job", `
  apiVersion: batch/v1
  kind: Job
  metadata:
    name: train-7` + from + `
    labels: {app: train, kueue.x-k8s.io/queue-name: gpu, controller-uid: u, batch.kubernetes.io/job-name: train-7, vedette.io/user: bob, vedette.io/template: batch}
    annotations: {note: mine, kubectl.kubernetes.io/last-applied-configuration: x, batch.kubernetes.io/job-tracking: "", ` + marks + `}
  spec:
    suspend: true
    parallelism: 2
    selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}
    template:
      metadata:
        labels: {app: train, controller-uid: u, job-name: train-7, kueue.x-k8s.io/podset: main}
        annotations: {kueue.x-k8s.io/workload: job-train-7}
      spec:
        schedulingGates: [{name: kueue.x-k8s.io/topology}, {name: mine}]
        containers: [{name: main, image: train}]
  status: {conditions: [{type: Failed, status: "True"}]}`, `
  apiVersion: batch/v1
  kind: Job
  metadata:
    labels: {app: train, kueue.x-k8s.io/queue-name: gpu, vedette.io/template: batch}
    annotations: {note: mine}
  spec:
    parallelism: 2
    template:
      metadata: {labels: {app: train}}
      spec:
        schedulingGates: [{name: mine}]
        containers: [{name: main, image: train}]`},
		{"job with a selector of its own", "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {manualSelector: true, selector: {matchLabels: {a: b}}}}", "{apiVersion: batch/v1, kind: Job, metadata: {}, spec: {manualSelector: true, selector: {matchLabels: {a: b}}}}"},
		{"pytorchjob", "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: a}, spec: {runPolicy: {suspend: true, backoffLimit: 1}, pytorchReplicaSpecs: {Worker: {template: {metadata: {labels: {kueue.x-k8s.io/tas: 'true'}}, spec: {containers: [{name: a}]}}}}}}", "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {}, spec: {runPolicy: {backoffLimit: 1}, pytorchReplicaSpecs: {Worker: {template: {metadata: {}, spec: {containers: [{name: a}]}}}}}}"},
		{"workflow", "{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: a, generateName: a-, labels: {workflows.argoproj.io/completed: 'true', workflows.argoproj.io/phase: Failed}}, spec: {shutdown: Terminate, suspend: true, entrypoint: a}}", "{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {}, spec: {entrypoint: a}}"},
		{"rayjob on a cluster of others", "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: a}, spec: {suspend: true, jobId: j, clusterSelector: {a: b}}}", "{apiVersion: ray.io/v1, kind: RayJob, metadata: {}, spec: {clusterSelector: {a: b}}}"},
		{"rayjob", "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: a}, spec: {jobId: j, shutdownAfterJobFinishes: true}}", "{apiVersion: ray.io/v1, kind: RayJob, metadata: {}, spec: {jobId: j, shutdownAfterJobFinishes: true}}"},
		{"fields of other types", "{apiVersion: batch/v1, kind: Job, metadata: {labels: [a], annotations: x}, spec: [1]}", "{apiVersion: batch/v1, kind: Job, metadata: {labels: [a], annotations: x}, spec: [1]}"},
	} {
		var object, want map[string]any
		if err := errors.Join(yaml.Unmarshal([]byte(c.object), &object), yaml.Unmarshal([]byte(c.want), &want)); err != nil {
			t.Fatalf("%s: the YAML of the case is invalid: %v", c.name, err)
		}
		before := (&unstructured.Unstructured{Object: object}).DeepCopy()
		got := submit.CopyOf(&unstructured.Unstructured{Object: object})
		if diff := cmp.Diff(want, got.Object); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(before.Object, object); diff != "" {
			t.Errorf("%s: the job itself was changed:\n%s", c.name, diff)
		}
	}
}

// TestRetryChain: attempts are numbered and linked to the first one, whichever attempt
// they repeat.
func TestRetryChain(t *testing.T) {
	y := newYard(t, apitest.Config{})
	first := y.create(failedJob)
	second := y.retry(first, submit.RetryOptions{Set: []string{"image=train:2", "spec.backoffLimit=3"}, User: "bob"})
	third := y.retry(second.Job(), submit.RetryOptions{Running: true})
	fourth := y.retry(first, submit.RetryOptions{})
	for i, r := range []submit.Result{second, third, fourth} {
		a, attempt := r.Object.GetAnnotations(), fmt.Sprint(i+2)
		if !r.Created || r.Object.GetName() != "train-7-r"+attempt || a[job.AttemptAnnotation] != attempt || r.Object.GetLabels()[job.RetryRootLabel] != first.UID {
			t.Errorf("attempt %s: got name %s, annotations %v, labels %v; want a new job of the chain", attempt, r.Object.GetName(), a, r.Object.GetLabels())
		}
	}
	if a := third.Object.GetAnnotations(); a[job.RetryOfAnnotation] != string(second.Object.GetUID()) || a[job.RetryOfNameAnnotation] != "train-7-r2" || a[job.SubmitterAnnotation] != "ann" {
		t.Errorf("third attempt: got annotations %v, want a retry of the second by ann", a)
	}
	containers, _, _ := unstructured.NestedSlice(third.Object.Object, "spec", "template", "spec", "containers")
	if limit, _, _ := unstructured.NestedInt64(third.Object.Object, "spec", "backoffLimit"); limit != 3 || containers[0].(map[string]any)["image"] != "train:2" {
		t.Errorf("the changes of the second attempt are not in the third: %v", third.Object.Object["spec"])
	}
	if by := second.Object.GetAnnotations()[job.SubmitterAnnotation]; by != "bob" {
		t.Errorf("the second was submitted by %s", by)
	}
	known := y.retry(first, submit.RetryOptions{Attempts: 7, Key: "mine"})
	if known.Object.GetName() != "train-7-r8" || known.Key != "mine" {
		t.Errorf("with attempts in the history: %s", known.Object.GetName())
	}
}

// TestRetryForgedNumber: a huge number in an annotation or in the history does not reach the name
// of a retry, and the name is free.
func TestRetryForgedNumber(t *testing.T) {
	y := newYard(t, apitest.Config{})
	first := y.create(failedJob)
	y.create(strings.Replace(failedJob, "name: train-7", "name: forged, labels: {vedette.io/retry-root: "+first.UID+"}, annotations: {vedette.io/attempt: '9223372036854775807'}", 1))
	if name := y.retry(first, submit.RetryOptions{}).Object.GetName(); name != "train-7-r2" {
		t.Errorf("retry beside a forged annotation: got the name %s, want train-7-r2", name)
	}
	if name := y.retry(first, submit.RetryOptions{Attempts: math.MaxInt}).Object.GetName(); name != "train-7-r1000000" {
		t.Errorf("retry with a forged history: got the name %s, want train-7-r1000000", name)
	}
	last := y.retry(first, submit.RetryOptions{}).Object
	if name := last.GetName(); !strings.HasPrefix(name, "train-7-r1000000-") || last.GetAnnotations()[job.AttemptAnnotation] != "1000000" {
		t.Errorf("retry after the last number: got the name %s and annotations %v, want the last number with a suffix", name, last.GetAnnotations())
	}
}

// TestRetryOnce: retries with one key create one job, even concurrently, from several people
// and with lost answers. Other keys, or none, create other jobs.
func TestRetryOnce(t *testing.T) {
	y := newYard(t, apitest.Config{})
	first := y.create(failedJob)
	y.inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate}, Times: 6, Action: apitest.Cut(apitest.CutReset)})
	var wg sync.WaitGroup
	names := make([]string, 24)
	for i := range names {
		wg.Go(func() {
			o := submit.RetryOptions{Set: []string{fmt.Sprintf("spec.parallelism=%d", i%3)}, User: fmt.Sprintf("user-%d", i%2), Key: fmt.Sprint(i % 3)}
			result, err := y.client.Retry(t.Context(), first, o)
			if err != nil {
				t.Error(err)
				return
			}
			names[i] = result.Object.GetName()
		})
	}
	wg.Wait()
	made := map[string]bool{}
	for i, name := range names {
		made[name] = true
		if name != names[i%3] {
			t.Errorf("retry %d is %s, and an equal one %s", i, name, names[i%3])
		}
	}
	if n := len(jobs(t, y.srv)); n != 4 || !made["train-7-r2"] || !made["train-7-r3"] || !made["train-7-r4"] {
		t.Errorf("got %d jobs, made %v; want 4 with three retries", n, made)
	}
	if again := y.retry(first, submit.RetryOptions{Set: []string{"spec.parallelism=0"}, Key: "0"}); again.Created || again.Object.GetName() != names[0] {
		t.Errorf("repeated: created %v, name %s; want false and %s", again.Created, again.Object.GetName(), names[0])
	}
	for _, name := range []string{"train-7-r5", "train-7-r6"} {
		if more := y.retry(first, submit.RetryOptions{Set: []string{"spec.parallelism=0"}}); !more.Created || more.Object.GetName() != name {
			t.Errorf("without a key: created %v, name %s; want true and %s", more.Created, more.Object.GetName(), name)
		}
	}
}

// TestRetryNames: long names are truncated, and a retry does not take the name of an
// unrelated job.
func TestRetryNames(t *testing.T) {
	y := newYard(t, apitest.Config{})
	long := strings.Repeat("a", 61) + "-b"
	if name := y.retry(y.create(strings.Replace(failedJob, "train-7", long, 1)), submit.RetryOptions{}).Object.GetName(); name != strings.Repeat("a", 60)+"-r2" {
		t.Errorf("long name: got %s, want it cut, with -r2", name)
	}
	first := y.create(failedJob)
	y.create(strings.Replace(failedJob, "train-7", "train-7-r2", 1))
	second := y.retry(first, submit.RetryOptions{}).Object
	if name := second.GetName(); !strings.HasPrefix(name, "train-7-r2-") || second.GetAnnotations()[job.AttemptAnnotation] != "2" {
		t.Errorf("taken name: got %s, want train-7-r2 with a suffix, attempt 2", name)
	}
	third := y.retry(submit.JobOf(first.Resource, second), submit.RetryOptions{Running: true}).Object
	if third.GetName() != "train-7-r3" {
		t.Errorf("after that: %s", third.GetName())
	}
	if name := y.retry(first, submit.RetryOptions{Set: []string{"metadata.name=mine"}}).Object.GetName(); name != "mine" {
		t.Errorf("of one's own: %s", name)
	}
	_, err := y.client.Retry(t.Context(), first, submit.RetryOptions{Set: []string{"metadata.name=train-7"}})
	if taken := (*submit.TakenError)(nil); !errors.As(err, &taken) {
		t.Errorf("taken, of one's own: %v", err)
	}
}

// TestRetryRefused: running jobs, parts of other jobs, and invalid changes are refused.
func TestRetryRefused(t *testing.T) {
	y := newYard(t, apitest.Config{})
	running := y.create(plainStatus + "status: {active: 1, ready: 1, startTime: '2026-03-01T09:00:00Z'}")
	_, err := y.client.Retry(t.Context(), running, submit.RetryOptions{})
	if e := (*submit.NotFinishedError)(nil); !errors.As(err, &e) || err.Error() != "job/train-7 has not ended: it is Running; cancel it first" {
		t.Errorf("got error %v, want a NotFinishedError for a running job with its remedy", err)
	}
	part := y.create(strings.Replace(failedJob, "train-7", "part, ownerReferences: [{apiVersion: kubeflow.org/v1, kind: MPIJob, name: all, uid: u, controller: true}]", 1))
	two := y.create(strings.NewReplacer("train-7", "two", "image: train}", "image: train}, {name: b, image: b}").Replace(failedJob))
	none := y.create("apiVersion: example.com/v1\nkind: Experiment\nmetadata: {name: e}\nstatus: {phase: Failed}")
	for _, c := range []struct {
		of   submit.Job
		set  string
		want string
	}{
		{part, "", "job/part belongs to MPIJob all; retry that"},
		{two, "image=x", "a pod of the job has several containers"},
		{none, "image=x", "this Experiment has no container"},
		{two, "spec.parallelism", `the change "spec.parallelism" has no =`},
		{two, "=4", "the path is empty"},
		{two, "spec.template.spec.containers[7].image=x", "no item [7]"},
	} {
		o := submit.RetryOptions{Set: []string{c.set}}
		if c.set == "" {
			o.Set = nil
		}
		_, err := y.client.Retry(t.Context(), c.of, o)
		if !errcode.Is(err, errcode.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.set, err, c.want)
		}
	}
	if n := creations(y.srv); n != 0 {
		t.Errorf("%d requests to create jobs", n)
	}
}

// TestRetryOfGoneJob: a body of the history is sufficient, and a warning names the missing
// fields.
func TestRetryOfGoneJob(t *testing.T) {
	y := newYard(t, apitest.Config{})
	j := y.create(plainStatus)
	j.Object.SetResourceVersion("")
	j.Object.SetManagedFields(nil)
	if _, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Deleting}); err != nil {
		t.Fatal(err)
	}
	result := y.retry(j, submit.RetryOptions{})
	if !result.Created || result.Object.GetLabels()[job.RetryRootLabel] != j.UID || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "job/train-7 is deleted") {
		t.Errorf("got %+v, want a new job with one warning", result)
	}
}

// TestRetryWithoutList: the right to list jobs is not needed.
func TestRetryWithoutList(t *testing.T) {
	y := newYard(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbList {
			return errors.New(`User "ann" cannot list resource "jobs"`)
		}
		return nil
	}})
	first := y.create(failedJob)
	for _, created := range []bool{true, false} {
		if r := y.retry(first, submit.RetryOptions{Key: "k"}); r.Created != created || r.Object.GetName() != "train-7-r2" {
			t.Errorf("created %v, name %s; want %v and train-7-r2", r.Created, r.Object.GetName(), created)
		}
	}
}
