package cancel_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"

	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/wire"
)

const podTemplate = `{spec: {restartPolicy: Never, containers: [{name: %s, image: "train:1"}]}}`

// kubeflow returns a job of Kubeflow's training operator.
func kubeflow(kind, field, role, container string) string {
	return fmt.Sprintf("apiVersion: kubeflow.org/v1\nkind: %s\nmetadata: {name: train-7}\nspec: {runPolicy: {}, %s: {%s: {replicas: 1, restartPolicy: Never, template: "+podTemplate+"}}}\n", kind, field, role, container)
}

// types are the types of jobs that can be installed: how each is cancelled, and the status that
// its operator then writes.
var types = []struct{ resource, object, how, status string }{
	{"pytorchjobs.kubeflow.org", kubeflow("PyTorchJob", "pytorchReplicaSpecs", "Master", "pytorch"), job.CancelSuspend, suspended},
	{"tfjobs.kubeflow.org", kubeflow("TFJob", "tfReplicaSpecs", "Worker", "tensorflow"), job.CancelSuspend, suspended},
	{"xgboostjobs.kubeflow.org", kubeflow("XGBoostJob", "xgbReplicaSpecs", "Master", "xgboost"), job.CancelSuspend, suspended},
	{"paddlejobs.kubeflow.org", kubeflow("PaddleJob", "paddleReplicaSpecs", "Worker", "paddle"), job.CancelSuspend, suspended},
	{"jaxjobs.kubeflow.org", kubeflow("JAXJob", "jaxReplicaSpecs", "Worker", "jax"), job.CancelSuspend, suspended},
	{"mpijobs.kubeflow.org", kubeflow("MPIJob", "mpiReplicaSpecs", "Launcher", "mpi"), job.CancelSuspend, suspended},
	{"trainjobs.trainer.kubeflow.org", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: train-7}\nspec: {runtimeRef: {name: torch}, trainer: {image: 'train:1'}}\n", job.CancelSuspend, ""},
	{"rayjobs.ray.io", "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: train-7}\nspec: {entrypoint: python, shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: {rayStartParams: {}, template: " + fmt.Sprintf(podTemplate, "head") + "}}}\n", job.CancelSuspend, ""},
	{"jobsets.jobset.x-k8s.io", "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: train-7}\nspec: {replicatedJobs: [{name: a, template: {spec: {template: " + fmt.Sprintf(podTemplate, "main") + "}}}]}\n", job.CancelSuspend, ""},
	{"jobs.batch.volcano.sh", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train-7}\nspec: {tasks: [{name: a, replicas: 1, template: " + fmt.Sprintf(podTemplate, "main") + "}]}\n", job.CancelCommand, `{"status":{"state":{"phase":"Aborted"}}}`},
}

const suspended = `{"status":{"conditions":[{"type":"Suspended","status":"True","reason":"Suspended","lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z","message":""}],"replicaStatuses":{}}}`

// TestCancel has one control plane for all tests.
func TestCancel(t *testing.T) {
	s := newStage(t)
	for _, c := range types {
		t.Run(c.resource, func(t *testing.T) { s.throughAll(t, c.resource, c.object, c.how, c.status) })
	}
	t.Run("running job", s.testRunningJob)
	t.Run("without rights", s.testRights)
}

// throughAll submits a job of a type, cancels it, retries it, and deletes the retry by
// cancelling it. The recorder observes each step.
func (s *stage) throughAll(t *testing.T, resource, text, how, status string) {
	first := s.submit(t, text)
	s.reaches(t, first, job.Submitted, "")
	done, err := s.client.Cancel(t.Context(), first, submit.CancelOptions{Actor: "ann", Reason: "wrong data"})
	if err != nil || done.How != how || done.Before {
		t.Fatalf("%+v, %v", done, err)
	}
	if status != "" { // the operator does not run
		client, err := kube.For[unstructured.Unstructured](s.cluster, kube.ClientConfig{Resource: submit.FullName(first.Resource)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Status().Patch(t.Context(), wire.Key{Namespace: first.Namespace, Name: first.Name}, kube.MergePatch([]byte(status))); err != nil {
			t.Fatal(err)
		}
	}
	s.reaches(t, first, job.Aborted, "ann: wrong data")
	again, err := s.client.Cancel(t.Context(), first, submit.CancelOptions{Actor: "bob"})
	if err != nil || !again.Before || again.Actor != "ann" {
		t.Errorf("cancelled twice: %+v, %v", again, err)
	}
	first, err = s.client.Find(t.Context(), resource+"/train-7", s.namespace)
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.client.Retry(t.Context(), first, submit.RetryOptions{Set: []string{"metadata.labels.note=second"}})
	if err != nil || !result.Created || result.Object.GetName() != "train-7-r2" {
		t.Fatalf("%+v, %v", result, err)
	}
	second := result.Job()
	s.reaches(t, second, job.Submitted, "")
	if _, err := s.client.Cancel(t.Context(), second, submit.CancelOptions{Actor: "bob", How: submit.Deleting}); err != nil {
		t.Fatal(err)
	}
	s.reaches(t, second, job.Deleted, "bob")
	chain := s.chain(t, first)
	if len(chain) != 2 || chain[0].State != job.Aborted || chain[1].State != job.Aborted || chain[1].CancelledBy != "bob" || chain[1].RetryOf != first.UID || !chain[1].Compared || len(chain[1].Changes) != 0 {
		t.Errorf("%+v", chain)
	}
}

// testRunningJob: the pods of a cancelled job are deleted, and the history names the actor and
// the reason after the job is deleted, for each way to cancel.
func (s *stage) testRunningJob(t *testing.T) {
	const text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: NAME}\nspec: {parallelism: 3, template: {metadata: {annotations: {pod-complete.stage.kwok.x-k8s.io/delay: 10m, pod-complete.stage.kwok.x-k8s.io/jitter-delay: 11m}}, spec: {restartPolicy: Never, terminationGracePeriodSeconds: 1, containers: [{name: main, image: 'train:1'}]}}}\n"
	pods, err := kube.For[corev1.Pod](s.cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	running := func(job submit.Job) (n int) {
		for pod, err := range pods.List(t.Context(), kube.Where{Namespace: s.namespace, LabelSelector: batchv1.JobNameLabel + "=" + job.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			if pod.Status.Phase == corev1.PodRunning {
				n++
			}
		}
		return n
	}
	for how, name := range map[submit.How]string{submit.AsTypeDemands: "kept", submit.Deleting: "gone"} {
		j := s.submit(t, strings.Replace(text, "NAME", name, 1))
		patience.Until(t, "the pods run", func() string {
			if n := running(j); n != 3 {
				return fmt.Sprintf("%d run", n)
			}
			return ""
		})
		s.reaches(t, j, job.Running, "")
		if _, err := s.client.Cancel(t.Context(), j, submit.CancelOptions{Actor: "ann", Reason: "wrong data", How: how}); err != nil {
			t.Fatal(err)
		}
		patience.Until(t, "the pods are deleted", func() string {
			if n := running(j); n != 0 {
				return fmt.Sprintf("%d run", n)
			}
			return ""
		})
		if how == submit.AsTypeDemands {
			s.reaches(t, j, job.Aborted, "ann: wrong data")
			if _, err := s.client.Cancel(t.Context(), j, submit.CancelOptions{Actor: "bob", How: submit.Deleting}); err != nil {
				t.Fatal(err)
			}
		}
		s.reaches(t, j, job.Deleted, "ann: wrong data")
		if chain := s.chain(t, j); chain[0].State != job.Aborted || chain[0].CancelledBy != "ann" || chain[0].Ran == 0 {
			t.Errorf("%s: %+v", name, chain)
		}
	}
}

// testRights: under the RBAC of a real server, the role in the error grants exactly the
// missing right.
func (s *stage) testRights(t *testing.T) {
	j := s.submit(t, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: guarded}\nspec: {suspend: true, template: "+fmt.Sprintf(podTemplate, "main")+"}\n")
	rc := s.plane.RESTConfig()
	rc.Impersonate.UserName = "eve"
	cluster, err := kube.Connect(kube.Config{REST: rc, Namespace: s.namespace})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	eve := submit.New(cluster, submit.Config{Logger: slog.New(slog.DiscardHandler)})
	roles, err := kube.For[unstructured.Unstructured](s.cluster, kube.ClientConfig{Resource: "roles.rbac.authorization.k8s.io", FieldManager: "test"})
	if err != nil {
		t.Fatal(err)
	}
	bindings, err := kube.For[unstructured.Unstructured](s.cluster, kube.ClientConfig{Resource: "rolebindings.rbac.authorization.k8s.io", FieldManager: "test"})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the roles in the errors are sufficient", func() string {
		_, err := eve.Cancel(t.Context(), j, submit.CancelOptions{How: submit.Deleting})
		denied, ok := err.(*submit.DeniedError)
		if err == nil {
			return ""
		}
		if apierrors.IsForbidden(err) && !ok {
			return err.Error() // the right of the last role came between the request and the review
		}
		if !ok {
			t.Fatal(err)
		}
		for i, text := range strings.Split(denied.Role, "---\n") {
			object := &unstructured.Unstructured{}
			if err := json.Unmarshal(jsonOf(t, text), &object.Object); err != nil {
				t.Fatal(err)
			}
			client := map[int]*kube.Client[unstructured.Unstructured]{0: roles, 1: bindings}[i]
			if _, err := client.Apply(t.Context(), object, kube.ForceConflicts); err != nil {
				t.Fatal(err)
			}
		}
		return err.Error()
	})
	s.reaches(t, j, job.Deleted, "eve")
}
