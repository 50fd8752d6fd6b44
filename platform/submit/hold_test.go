package submit_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/submit"
)

const heldJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, labels: {team: ml}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}`

const heldPyTorch = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME, labels: {kueue.x-k8s.io/queue-name: gpu}}
spec: {runPolicy: {backoffLimit: 1}, pytorchReplicaSpecs: {}}`

// TestHold: a held job is suspended and has no queue of Kueue. A release restores the
// submitted fields; a second release changes nothing.
func TestHold(t *testing.T) {
	y := newYard(t, apitest.Config{})
	for _, c := range []struct {
		text, queue string
		path        []string
	}{
		{heldJob, "", []string{"spec", "suspend"}},
		{strings.Replace(heldJob, "team: ml", "kueue.x-k8s.io/queue-name: gpu", 1), "gpu", []string{"spec", "suspend"}},
		{heldPyTorch, "gpu", []string{"spec", "runPolicy", "suspend"}},
	} {
		name := fmt.Sprintf("held-%d-%d", len(c.queue), len(c.path))
		result, err := y.client.Submit(t.Context(), submit.Request{Manifest: parse(t, strings.Replace(c.text, "NAME", name, 1)), Namespace: "ml", Hold: true})
		if err != nil {
			t.Fatal(err)
		}
		held := y.find(result.Object)
		if !suspended(held, c.path) || held.Object.GetLabels()["kueue.x-k8s.io/queue-name"] != "" || held.Object.GetLabels()[job.HeldLabel] != "true" {
			t.Errorf("%s held: got %v, want it suspended, without a queue, marked as held", name, held.Object.Object)
		}
		let, err := y.client.Release(t.Context(), held)
		if err != nil || !let {
			t.Fatalf("%s: released %v, error %v; want true", name, let, err)
		}
		free := y.find(result.Object)
		labels, annotations := free.Object.GetLabels(), free.Object.GetAnnotations()
		if suspended(free, c.path) != (c.queue != "") || labels["kueue.x-k8s.io/queue-name"] != c.queue || labels[job.HeldLabel] != "" || annotations[job.HeldQueueAnnotation] != "" {
			t.Errorf("%s released: got %v, want its queue back and no mark", name, free.Object.Object)
		}
		if let, err := y.client.Release(t.Context(), held); err != nil || let {
			t.Errorf("%s: released again %v, %v", name, let, err)
		}
		if last := y.find(result.Object); last.Object.GetResourceVersion() != free.Object.GetResourceVersion() {
			t.Errorf("%s: a second release wrote", name)
		}
	}
}

// TestHoldOfOthers: a type that cannot be held is refused, a later namesake is not
// released, and a clone of a held job has the submitted fields.
func TestHoldOfOthers(t *testing.T) {
	y := newYard(t, apitest.Config{})
	volcano := "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: w}\nspec: {}"
	if _, err := y.client.Submit(t.Context(), submit.Request{Manifest: parse(t, volcano), Namespace: "ml", Hold: true}); !strings.Contains(problems(err), "cannot be held") {
		t.Errorf("hold of a job of Volcano: got %v, want that it cannot be held", err)
	}
	text := strings.Replace(heldPyTorch, "NAME", "train", 1)
	result, err := y.client.Submit(t.Context(), submit.Request{Manifest: parse(t, text), Namespace: "ml", Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	namesake := y.find(result.Object)
	namesake.UID = "another"
	if let, err := y.client.Release(t.Context(), namesake); err == nil || let {
		t.Errorf("release of a namesake: got %v and error %v, want an error", let, err)
	}
	copied := parse(t, text)
	copied.Object = result.Object.DeepCopy()
	copied.Object.SetName("copy")
	clone, err := y.client.Submit(t.Context(), submit.Request{Manifest: copied, Namespace: "ml"})
	if err != nil {
		t.Fatal(err)
	}
	if c := y.find(clone.Object); suspended(c, []string{"spec", "runPolicy", "suspend"}) || c.Object.GetLabels()["kueue.x-k8s.io/queue-name"] != "gpu" || c.Object.GetLabels()[job.HeldLabel] != "" {
		t.Errorf("the clone: got %v, want it resumed, in queue gpu, without the mark of a hold", c.Object.Object)
	}
}

// TestReleaseOfCancelled: a job that was cancelled by suspension continues, and counts as
// not cancelled.
func TestReleaseOfCancelled(t *testing.T) {
	y := newYard(t, apitest.Config{})
	j := y.create(strings.Replace(heldJob, "NAME", "stopped", 1))
	if done, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Suspending, Reason: "wrong"}); err != nil || done.How != job.CancelSuspend {
		t.Fatalf("got %+v and error %v, want a suspended job", done, err)
	}
	if let, err := y.client.Release(t.Context(), j); err != nil || !let {
		t.Fatalf("released %v, error %v; want true", let, err)
	}
	free := y.find(j.Object)
	for _, name := range []string{job.CancelledByAnnotation, job.CancelledAtAnnotation, job.CancelReasonAnnotation, job.CancelAnnotation} {
		if free.Object.GetAnnotations()[name] != "" {
			t.Errorf("annotation %s stays, want it removed", name)
		}
	}
	if suspended(free, []string{"spec", "suspend"}) || job.ReadStatus(free.Object.Object).State == job.Aborted {
		t.Errorf("got %v, want it resumed and not Aborted", free.Object.Object)
	}
}

// TestReleaseInQueue: a job of Kueue that was suspended stays suspended after a release, because
// Kueue decides when it starts.
func TestReleaseInQueue(t *testing.T) {
	y := newYard(t, apitest.Config{})
	j := y.create(strings.NewReplacer("NAME", "stopped", "team: ml", "kueue.x-k8s.io/queue-name: gpu").Replace(heldJob))
	if _, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Suspending}); err != nil {
		t.Fatal(err)
	}
	if let, err := y.client.Release(t.Context(), j); err != nil || !let {
		t.Fatalf("released %v, error %v; want true", let, err)
	}
	if free := y.find(j.Object); !suspended(free, []string{"spec", "suspend"}) || free.Object.GetAnnotations()[job.CancelAnnotation] != "" {
		t.Errorf("got %v, want it resumed, without the mark of the cancel", free.Object.Object)
	}
}

// TestHoldWithDefaultQueue: if Kueue assigns a queue to each job, a held job waits in
// none, and gets the queue when it is released.
func TestHoldWithDefaultQueue(t *testing.T) {
	const queue = "kueue.x-k8s.io/queue-name"
	y := newYard(t, apitest.Config{Admit: func(_ apitest.Request, o metav1.Object) error {
		if labels := o.GetLabels(); labels[queue] == "" && labels[job.HeldLabel] != "" {
			labels[queue] = "default"
			o.SetLabels(labels)
		}
		return nil
	}})
	for name, text := range map[string]string{"default": heldJob, "gpu": strings.Replace(heldJob, "team: ml", queue+": gpu", 1)} {
		req := submit.Request{Manifest: parse(t, strings.Replace(text, "NAME", "held-"+name, 1)), Namespace: "ml", Hold: true}
		for _, req.DryRun = range []bool{true, false} {
			result, err := y.client.Submit(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if o := result.Object; o.GetLabels()[queue] != job.NoQueue || o.GetAnnotations()[job.HeldQueueAnnotation] != name || job.QueueOf(o.GetLabels()) != "" {
				t.Errorf("held, dry run %v: %v", req.DryRun, o.Object)
			}
			if req.DryRun {
				continue
			}
			job := y.find(result.Object)
			if let, err := y.client.Release(t.Context(), job); err != nil || !let {
				t.Fatalf("released %v, error %v; want true", let, err)
			}
			if free := y.find(job.Object); free.Object.GetLabels()[queue] != name || !suspended(free, []string{"spec", "suspend"}) {
				t.Errorf("released: got %v, want it suspended in queue %s", free.Object.Object, name)
			}
		}
	}
}

func suspended(job submit.Job, path []string) bool {
	v, _, _ := unstructured.NestedBool(job.Object.Object, path...)
	return v
}
