package submit_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/submit"
)

const batchJob = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train-7%s}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}\n"

func plainJob() string { return fmt.Sprintf(batchJob, "") }

// TestCancelByType: each type is cancelled by its own method. If the job stays, one write
// marks and stops it.
func TestCancelByType(t *testing.T) {
	queue := ", labels: {kueue.x-k8s.io/queue-name: gpu}"
	named := func(apiVersion, kind, meta, rest string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: train-7" + meta + "}\n" + rest
	}
	for _, c := range []struct {
		name, object string
		how          submit.How
		want         string // the value of job.CancelAnnotation
		field        string // the field that is set
		writes       string
	}{
		{"job", plainJob(), submit.AsTypeDemands, "suspend", "spec.suspend=true", "patch"},
		{"job in a queue of Kueue", fmt.Sprintf(batchJob, queue), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"job in a queue of Kueue, suspended", fmt.Sprintf(batchJob, queue), submit.Suspending, "suspend", "spec.suspend=true", "patch"},
		{"job of another manager", strings.Replace(plainJob(), "spec: {", "spec: {managedBy: kueue.x-k8s.io/multikueue, ", 1), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"job of its own manager", strings.Replace(plainJob(), "spec: {", "spec: {managedBy: kubernetes.io/job-controller, ", 1), submit.AsTypeDemands, "suspend", "spec.suspend=true", "patch"},
		{"job, deleted", plainJob(), submit.Deleting, "delete", "", "delete patch delete"},
		{"jobset", named("jobset.x-k8s.io/v1alpha2", "JobSet", "", "spec: {}"), submit.AsTypeDemands, "suspend", "spec.suspend=true", "patch"},
		{"trainjob", named("trainer.kubeflow.org/v1alpha1", "TrainJob", "", "spec: {}"), submit.AsTypeDemands, "suspend", "spec.suspend=true", "patch"},
		{"pytorchjob", named("kubeflow.org/v1", "PyTorchJob", "", "spec: {runPolicy: {backoffLimit: 3}}"), submit.AsTypeDemands, "suspend", "spec.runPolicy.suspend=true", "patch"},
		{"pytorchjob of another manager", named("kubeflow.org/v1", "PyTorchJob", "", "spec: {runPolicy: {managedBy: kueue.x-k8s.io/multikueue}}"), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"rayjob", named("ray.io/v1", "RayJob", "", "spec: {shutdownAfterJobFinishes: true}"), submit.AsTypeDemands, "suspend", "spec.suspend=true", "patch"},
		{"rayjob whose cluster stays", named("ray.io/v1", "RayJob", "", "spec: {}"), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"rayjob on a cluster of others", named("ray.io/v1", "RayJob", "", "spec: {shutdownAfterJobFinishes: true, clusterSelector: {a: b}}"), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"workflow", named("argoproj.io/v1alpha1", "Workflow", "", "spec: {}"), submit.AsTypeDemands, "command", "spec.shutdown=Terminate", "patch"},
		{"volcano job without commands", named("batch.volcano.sh/v1alpha1", "Job", "", "spec: {}"), submit.AsTypeDemands, "delete", "", "delete patch delete"},
		{"a type of one's own", named("example.com/v1", "Experiment", "", "spec: {suspend: false}"), submit.AsTypeDemands, "delete", "", "delete patch delete"},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newYard(t, apitest.Config{})
			j := y.create(c.object)
			began := time.Now().Truncate(time.Second)
			got, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{Reason: "wrong  data\n", How: c.how})
			if err != nil {
				t.Fatal(err)
			}
			if got.Actor != "ann" || got.Reason != "wrong data" || got.How != c.want || got.Before || got.At.Before(began) || got.At.After(time.Now()) {
				t.Errorf("got %+v, want %s by ann for wrong data, just now", got, c.want)
			}
			if w := strings.Join(y.writes(), " "); w != c.writes {
				t.Errorf("writes: %s, want %s", w, c.writes)
			}
			object := y.again(j)
			if c.want == "delete" {
				if object != nil {
					t.Error("the job is there still")
				}
				return
			}
			want := map[string]string{job.CancelledByAnnotation: "ann", job.CancelReasonAnnotation: "wrong data", job.CancelAnnotation: c.want}
			if m := marks(object); !maps.Equal(m, want) {
				t.Errorf("marks: %v, want %v", m, want)
			}
			path, value, _ := strings.Cut(c.field, "=")
			if v, _, _ := unstructured.NestedFieldNoCopy(object.Object, strings.Split(path, ".")...); fmt.Sprint(v) != value {
				t.Errorf("%s is %v, want %s", path, v, value)
			}
		})
	}
}

// TestCancelTwice: the first actor stays, and nothing is written again.
func TestCancelTwice(t *testing.T) {
	for _, how := range []submit.How{submit.AsTypeDemands, submit.Deleting} {
		y := newYard(t, apitest.Config{})
		text := plainJob()
		if how == submit.Deleting { // the finalizer keeps it
			text = fmt.Sprintf(batchJob, ", finalizers: [example.com/wait]")
		}
		job := y.create(text)
		if _, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{Reason: "wrong data", How: how}); err != nil {
			t.Fatal(err)
		}
		before := len(y.writes())
		got, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{Actor: "bob", Reason: "too slow", How: how})
		if err != nil || !got.Before || got.Actor != "ann" || got.Reason != "wrong data" {
			t.Errorf("a second cancel: got %+v and error %v, want the first one, by ann", got, err)
		}
		if n := len(y.writes()); n != before {
			t.Errorf("a second cancel made %d more writes, want none", n-before)
		}
	}
}

// TestCancelAgain: cancelling a resumed job records the second actor. A job that was
// marked but not deleted is deleted in the name of the first actor.
func TestCancelAgain(t *testing.T) {
	y := newYard(t, apitest.Config{})
	marked := ", annotations: {vedette.io/cancelled-by: ann, vedette.io/cancelled-at: '2026-03-01T09:00:00Z', vedette.io/cancel-reason: old, vedette.io/cancel: %s}"
	resumed := y.create(fmt.Sprintf(batchJob, "-a"+fmt.Sprintf(marked, "suspend")))
	got, err := y.client.Cancel(t.Context(), resumed, submit.CancelOptions{Actor: "bob"})
	if err != nil || got.Actor != "bob" || got.Reason != "" || got.Before {
		t.Errorf("cancel of a resumed job: got %+v and error %v, want a new one by bob", got, err)
	}
	if m := marks(y.again(resumed)); m[job.CancelledByAnnotation] != "bob" || m[job.CancelReasonAnnotation] != "" {
		t.Errorf("marks of a resumed job: got %v, want bob and no reason", m)
	}
	half := y.create(fmt.Sprintf(batchJob, "-b"+fmt.Sprintf(marked, "delete")))
	got, err = y.client.Cancel(t.Context(), half, submit.CancelOptions{Actor: "bob", Reason: "new"})
	if err != nil || got.Actor != "ann" || got.Reason != "old" || got.Before || y.again(half) != nil {
		t.Errorf("half done: got %+v and error %v, want the cancel by ann, and no job left", got, err)
	}
	suspended := y.create(strings.Replace(fmt.Sprintf(batchJob, "-c"+fmt.Sprintf(marked, "suspend")), "spec: {", "spec: {suspend: true, ", 1))
	got, err = y.client.Cancel(t.Context(), suspended, submit.CancelOptions{Actor: "bob", How: submit.Deleting})
	if err != nil || got.Actor != "ann" || got.How != "delete" || y.again(suspended) != nil {
		t.Errorf("suspended, then deleted: %+v, %v", got, err)
	}
}

// TestCancelRefused: for an ended job, a part of another job, and contradictory options,
// nothing changes.
func TestCancelRefused(t *testing.T) {
	y := newYard(t, apitest.Config{})
	ended := y.create(fmt.Sprintf(batchJob, "-a") + "status: {conditions: [{type: Failed, status: 'True', lastTransitionTime: '2026-03-01T09:00:00Z'}]}")
	for _, how := range []submit.How{submit.AsTypeDemands, submit.Deleting} {
		_, err := y.client.Cancel(t.Context(), ended, submit.CancelOptions{How: how})
		var finished *submit.FinishedError
		if !errors.As(err, &finished) || finished.State != job.Failed || err.Error() != "job/train-7-a has ended already: it is Failed since 2026-03-01T09:00:00Z" {
			t.Errorf("cancel of an ended job: got %v, want that it has ended", err)
		}
	}
	part := y.create(fmt.Sprintf(batchJob, "-b, ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: all, uid: u, controller: true}]"))
	free := y.create(fmt.Sprintf(batchJob, "-c"))
	experiment := y.create("apiVersion: example.com/v1\nkind: Experiment\nmetadata: {name: e}")
	for _, c := range []struct {
		name, want string
		job        submit.Job
		o          submit.CancelOptions
	}{
		{"a part", "belongs to JobSet all, which would start it again; cancel that", part, submit.CancelOptions{}},
		{"a long reason", "the reason has 1025 bytes", free, submit.CancelOptions{Reason: strings.Repeat("a", submit.MaxReason+1)}},
		{"a control character", `the reason "a\x1b[2J" has a control character`, free, submit.CancelOptions{Reason: "a\x1b[2J"}},
		{"no UTF-8", `has a control character or is not UTF-8`, free, submit.CancelOptions{Reason: "a\xff"}},
		{"no suspension", "this Experiment cannot be suspended", experiment, submit.CancelOptions{How: submit.Suspending}},
	} {
		_, err := y.client.Cancel(t.Context(), c.job, c.o)
		if !errcode.Is(err, errcode.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	later := free
	later.UID = "another"
	var unknown *submit.UnknownJobError
	if _, err := y.client.Cancel(t.Context(), later, submit.CancelOptions{}); !errors.As(err, &unknown) {
		t.Errorf("a later namesake: got %v, want an UnknownJobError", err)
	}
	if w := y.writes(); len(w) > 0 {
		t.Errorf("got the writes %v, want none", w)
	}
}

// TestCancelVolcano: a command aborts a job of Volcano, unless commands are not allowed.
func TestCancelVolcano(t *testing.T) {
	const text = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train-7}\nspec: {}\nstatus: {state: {phase: Running, lastTransitionTime: '2026-03-01T09:00:00Z'}}"
	y := newYard(t, apitest.Config{Types: []apitest.Type{volcanoCommands}})
	j := y.create(text)
	got, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{})
	if err != nil || got.How != "command" || strings.Join(y.writes(), " ") != "create commands patch create commands" {
		t.Fatalf("got %+v, error %v, writes %v; want a command after its dry run", got, err, y.writes())
	}
	all, err := y.srv.List(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command"}}, "ml")
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d commands and error %v, want 1", len(all), err)
	}
	command := all[0].(*unstructured.Unstructured)
	target, _, _ := unstructured.NestedString(command.Object, "target", "uid")
	if action, _, _ := unstructured.NestedString(command.Object, "action"); action != "AbortJob" || target != j.UID || string(command.GetOwnerReferences()[0].UID) != j.UID {
		t.Errorf("got the command %v, want AbortJob for the job", command.Object)
	}
	if _, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{Actor: "bob"}); err != nil || marks(y.again(j))[job.CancelledByAnnotation] != "ann" {
		t.Errorf("again: %v", err)
	}

	y = newYard(t, apitest.Config{Types: []apitest.Type{volcanoCommands}, Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "commands" {
			return errors.New(`User "ann" cannot create resource "commands"`)
		}
		return nil
	}})
	j = y.create(text)
	if got, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{}); err != nil || got.How != "delete" || y.again(j) != nil {
		t.Errorf("without the right: %+v, %v", got, err)
	}
	j = y.create(text)
	var denied *submit.DeniedError
	if _, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Suspending}); !errors.As(err, &denied) || denied.Resource != "commands.bus.volcano.sh" {
		t.Errorf("suspended without the right: %v", err)
	}
}

// TestCancelDenied: the error for a missing right has a role that grants it, and the job
// is unchanged.
func TestCancelDenied(t *testing.T) {
	for _, verb := range []apitest.Verb{apitest.VerbGet, apitest.VerbPatch, apitest.VerbDelete} {
		var y *yard
		on := false
		y = newYard(t, apitest.Config{Authorize: func(r apitest.Request) error {
			if on && r.Verb == verb {
				return errors.New(`User "ann" cannot ` + string(verb) + ` resource "jobs"`)
			}
			return nil
		}})
		job := y.create(plainJob())
		on = true
		_, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{How: submit.Deleting})
		var denied *submit.DeniedError
		if !errors.As(err, &denied) || denied.Verb != string(verb) || !strings.Contains(denied.Role, "- "+string(verb)) || strings.Count(denied.Role, "- delete") != 1 {
			t.Errorf("without %s: got %v, want it denied with one Role", verb, err)
		}
		on = false
		if object := y.again(job); object == nil || len(marks(object)) > 0 {
			t.Errorf("%s: the job has changed", verb)
		}
	}
}

// TestCancelHalfDone: if a deletion fails, its mark is removed, or the error reports that
// it stays.
func TestCancelHalfDone(t *testing.T) {
	deletions := apitest.Match{Verb: apitest.VerbDelete}
	y := newYard(t, apitest.Config{})
	j := y.create(plainJob())
	y.inject(apitest.Fault{Match: deletions, After: 1, Action: apitest.Respond(apitest.Failure(422, 0))})
	_, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Deleting})
	var unfinished *submit.UnfinishedError
	if err == nil || errors.As(err, &unfinished) || len(marks(y.again(j))) > 0 {
		t.Errorf("undone: got %v and marks %v, want an error and no marks", err, marks(y.again(j)))
	}
	y.inject(apitest.Fault{Match: deletions, After: 1, Action: apitest.Respond(apitest.Failure(422, 0))})
	y.inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbPatch}, After: 1, Action: apitest.Respond(apitest.Failure(422, 0))})
	_, err = y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Deleting})
	if !errors.As(err, &unfinished) || !apierrors.IsInvalid(err) || marks(y.again(j))[job.CancelledByAnnotation] != "ann" {
		t.Errorf("not undone: %v", err)
	}
	if got, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{Actor: "bob"}); err != nil || got.Actor != "ann" || y.again(j) != nil {
		t.Errorf("finished: got %+v and error %v, want the cancel by ann, and no job left", got, err)
	}
}

// TestCancelLostAnswers: a request whose answer is lost is repeated, and the job is
// cancelled once, by its actor.
func TestCancelLostAnswers(t *testing.T) {
	for _, how := range []submit.How{submit.Suspending, submit.Deleting} {
		for _, verb := range []apitest.Verb{apitest.VerbPatch, apitest.VerbDelete} {
			y := newYard(t, apitest.Config{})
			job := y.create(plainJob())
			after := 0
			if verb == apitest.VerbDelete { // only the deletion, not its dry run
				after = 1
			}
			y.inject(apitest.Fault{Match: apitest.Match{Verb: verb}, After: after, Action: apitest.Cut(apitest.CutReset)})
			got, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{How: how, Reason: "wrong data"})
			if err != nil || got.Before || got.Actor != "ann" || got.Reason != "wrong data" {
				t.Errorf("%v with a lost answer to %s: got %+v and error %v, want the cancel by ann", how, verb, got, err)
			}
		}
	}
}

// TestCancelWhileItChanges: a job that ends just before a write keeps its end and gets no
// mark. A job that only changes is cancelled.
func TestCancelWhileItChanges(t *testing.T) {
	for _, ends := range []bool{false, true} {
		for moment := 1; moment <= 3; moment++ {
			var y *yard
			writes := 0
			y = newYard(t, apitest.Config{Authorize: func(r apitest.Request) error {
				if r.Verb != apitest.VerbPatch && r.Verb != apitest.VerbDelete {
					return nil
				}
				if writes++; writes != moment {
					return nil
				}
				return y.change(func(s *batchv1.JobStatus) {
					if s.Active = 1; ends {
						s.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: "True"}}
					}
				})
			}})
			job := y.create(plainJob())
			got, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{How: submit.Deleting})
			var finished *submit.FinishedError
			switch object := y.again(job); {
			case ends:
				if !errors.As(err, &finished) || object == nil || len(marks(object)) > 0 {
					t.Errorf("ended before write %d: %+v, %v", moment, got, err)
				}
			case err != nil || object != nil:
				t.Errorf("changed before write %d: %+v, %v", moment, got, err)
			}
		}
	}
}

// TestCancelDryRun: the server checks all steps, and nothing changes.
func TestCancelDryRun(t *testing.T) {
	for _, how := range []submit.How{submit.AsTypeDemands, submit.Deleting} {
		y := newYard(t, apitest.Config{})
		job := y.create(plainJob())
		got, err := y.client.Cancel(t.Context(), job, submit.CancelOptions{How: how, DryRun: true})
		object := y.again(job)
		if err != nil || got.Before || object == nil || len(marks(object)) > 0 || !slices.Contains(y.writes(), "patch") {
			t.Errorf("%v, dry run: got %+v, error %v, writes %v; want an unchanged job after a patch", how, got, err, y.writes())
		}
	}
}
