package job_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
)

// TestCancelled: the annotations of a cancelled job change the status that its type gives.
// Minutes distinguish the times: 10 is the time of the cancellation.
func TestCancelled(t *testing.T) {
	annotated := func(how, more string) string {
		return "metadata: {annotations: {vedette.io/cancelled-by: ann, vedette.io/cancel-reason: 'wrong data', vedette.io/cancelled-at: '2026-03-01T09:10:00Z', vedette.io/cancel: " + how + "}" + more + "}\n"
	}
	const queue, going = ", labels: {kueue.x-k8s.io/queue-name: gpu}", ", deletionTimestamp: '2026-03-01T09:20:00Z'"
	suspended := func(minute string) string {
		return "conditions: [{type: Suspended, status: 'True', reason: JobSuspended, message: held, lastTransitionTime: '2026-03-01T09:" + minute + ":00Z'}]"
	}
	const j = "apiVersion: batch/v1\nkind: Job\n"
	const ran = "status: {startTime: '2026-03-01T09:01:00Z', active: 1, ready: 1}\n"
	ended := "status: {conditions: [{type: Complete, status: 'True', reason: CompletionsReached, lastTransitionTime: '2026-03-01T09:05:00Z'}]}\n"
	aborted := func(raw string, minute int) job.Status {
		s := job.Status{State: job.Aborted, Raw: raw, Reason: "Cancelled", Message: "ann: wrong data"}
		if minute > 0 {
			s.At = time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC)
		}
		return s
	}
	for _, c := range []struct {
		name, object string
		want         job.Status
	}{
		{"deleted while it runs", j + annotated("delete", "") + ran, aborted("", 10)},
		{"deleted before it began", j + annotated("delete", ""), aborted("", 10)},
		{"deleted, with pods that terminate", j + annotated("delete", going) + ran, aborted("", 10)},
		{"deleted after its end", j + annotated("delete", going) + ended, job.Status{State: job.Succeeded, Raw: "Complete", Reason: "CompletionsReached", At: time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC)}},
		{"deleted, of a type without a rule", "kind: X\n" + annotated("delete", "") + "status: {phase: Bound}", aborted("Bound", 10)},
		{"suspended, and not stopped yet", j + annotated("suspend", "") + "spec: {suspend: true}\n" + ran, job.Status{State: job.Running}},
		{"suspended", j + annotated("suspend", "") + "spec: {suspend: true}\nstatus: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"suspended while it was on hold", j + annotated("suspend", "") + "spec: {suspend: true}\nstatus: {" + suspended("02") + "}", aborted("Suspended", 10)},
		{"suspended before it was started", j + annotated("suspend", "") + "spec: {suspend: true}", aborted("", 10)},
		{"suspended in a queue", j + annotated("suspend", queue) + "spec: {suspend: true}\nstatus: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"suspended and resumed", j + annotated("suspend", "") + "spec: {suspend: false}\n" + ran, job.Status{State: job.Running}},
		{"suspended, resumed, and not started", j + annotated("suspend", "") + "spec: {suspend: false}", job.Status{State: job.Submitted}},
		{"suspended, and being deleted", j + annotated("suspend", going) + "spec: {suspend: true}\nstatus: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"suspended, resumed, and deleted by others", j + annotated("suspend", going) + ran, job.Status{State: job.Aborted, Raw: "Terminating", At: time.Date(2026, 3, 1, 9, 20, 0, 0, time.UTC)}},
		{"queued for another reason", "apiVersion: ray.io/v1\nkind: RayJob\n" + annotated("suspend", queue) + "status: {jobDeploymentStatus: Waiting}", job.Status{State: job.Queued, Raw: "Waiting"}},
		{"a rayjob", "apiVersion: ray.io/v1\nkind: RayJob\n" + annotated("suspend", "") + "status: {jobDeploymentStatus: Suspending}", aborted("Suspending", 10)},
		{"a pytorchjob", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" + annotated("suspend", queue) + "status: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"a trainjob", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n" + annotated("suspend", "") + "status: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"a jobset", "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n" + annotated("suspend", "") + "status: {" + suspended("11") + "}", aborted("Suspended", 11)},
		{"a volcano job that runs still", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n" + annotated("command", "") + "status: {state: {phase: Running}}", job.Status{State: job.Running, Raw: "Running"}},
		{"a volcano job", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n" + annotated("command", "") + "status: {state: {phase: Aborting, reason: X, lastTransitionTime: '2026-03-01T09:12:00Z'}}", aborted("Aborting", 12)},
		{"a workflow", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n" + annotated("command", "") + "spec: {shutdown: Terminate}\nstatus: {phase: Failed, message: stopped}", aborted("Failed", 0)},
		{"an unknown kind of cancellation", j + annotated("dream", "") + ran, job.Status{State: job.Running}},
		{"an annotation without an actor", j + "metadata: {annotations: {vedette.io/cancel: delete}}\n" + ran, job.Status{State: job.Running}},
		{"annotations of another type", j + "metadata: {annotations: [vedette.io/cancelled-by]}\n" + ran, job.Status{State: job.Running}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := job.ReadStatus(lighten(parse(t, c.object)))
			if c.want.At.IsZero() && c.want.State != job.Aborted {
				got.At = time.Time{} // TestAt looks at it
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestCancelledWithoutReason: the message names the actor alone.
func TestCancelledWithoutReason(t *testing.T) {
	got := job.ReadStatus(parse(t, "kind: X\nmetadata: {annotations: {vedette.io/cancelled-by: ann, vedette.io/cancel: delete}}"))
	if want := (job.Status{State: job.Aborted, Reason: "Cancelled", Message: "ann"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
