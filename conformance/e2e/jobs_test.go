package e2e_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
)

// listedJob is a job in the output of `vedette jobs -o json`.
type listedJob struct {
	Type, Name, UID, State, Reason, Queue, Submitter, Node string
	GPUs, Pods                                             int
	WaitedSeconds, RanSeconds                              float64
	Ended                                                  ended
}

// ended is a time that may be empty.
type ended struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *ended) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return e.Time.UnmarshalText(text)
}

// UnmarshalJSON implements json.Unmarshaler, and hides the method of time.Time.
func (e *ended) UnmarshalJSON(text []byte) error {
	return e.UnmarshalText([]byte(strings.Trim(string(text), `"`)))
}

// listJobs runs `vedette jobs`.
func listJobs(t *testing.T, path string, args ...string) []listedJob {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path, append([]string{"jobs", "-A", "-o", "json", "--sort", "name"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []listedJob }
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// createJobs creates jobs that run and end, jobs on hold, and jobs of a type without an
// operator.
func createJobs(t *testing.T, client kubernetes.Interface, cluster *kube.Cluster) {
	t.Helper()
	for i := range 8 {
		j := newJob(3*i + 1)
		j.Annotations = map[string]string{job.SubmitterAnnotation: []string{"ann@example.com", "bob"}[i%2]}
		j.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "h100"}
		j.Spec.Suspend = new(bool)
		*j.Spec.Suspend = i == 7
		limits := corev1.ResourceList{"cpu": *resource.NewMilliQuantity(10, resource.DecimalSI)}
		j.Spec.Template.Spec.Containers[0].Resources.Limits = limits
		if i == 7 { // test nodes have no GPUs
			limits["nvidia.com/gpu"] = *resource.NewQuantity(4, resource.DecimalSI)
		}
		if _, err := client.BatchV1().Jobs("default").Create(t.Context(), j, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	crds.Install(t, cluster, "pytorchjobs.kubeflow.org")
	torch, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "pytorchjobs.kubeflow.org"})
	if err != nil {
		t.Fatal(err)
	}
	container := map[string]any{"name": "pytorch", "image": "train", "resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": int64(8)}}}
	replica := map[string]any{"replicas": int64(2), "template": map[string]any{"spec": map[string]any{"containers": []any{container}}}}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": map[string]any{"name": "torch", "namespace": "default"},
		"spec": map[string]any{"pytorchReplicaSpecs": map[string]any{"Worker": replica}},
	}}
	if _, err := torch.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// exact makes the tests compare times. By default they do not, because a recorder on a busy
// machine may see a change at any time.
var exact = flag.Bool("exact", false, "compare times, on a machine without other load")

// TestJobsAgree: the lists of jobs from a real cluster and from its history are the same,
// except for facts that only one of them has.
func TestJobsAgree(t *testing.T) {
	path := gobuild.Program(t, gobuild.Vedette)
	c := controlplane.ForTest(t, controlplane.Options{})
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	createJobs(t, client, cluster)
	db := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	recorder := exec.Command(path, "record", "jobs,pods,pytorchjobs.kubeflow.org", "-A", "--kubeconfig", c.Kubeconfig(), "--db", db)
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = recorder.Process.Kill()
		_ = recorder.Wait() // it was killed
	})
	patience.Work(t, "seven jobs have ended", func() (int64, string) {
		list, err := client.BatchV1().Jobs("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return 0, err.Error()
		}
		ended := len(slices.DeleteFunc(list.Items, func(j batchv1.Job) bool { return j.Status.CompletionTime == nil }))
		if ended != 7 {
			return int64(ended), fmt.Sprintf("%d have", ended)
		}
		return 7, ""
	})
	live := listJobs(t, path, "--kubeconfig", c.Kubeconfig())
	if len(live) != 9 {
		t.Fatalf("got %d live jobs, want 9: %+v", len(live), live)
	}
	var recorded []listedJob
	differ := func() string {
		if len(recorded) != len(live) {
			return fmt.Sprintf("the history has %d jobs, the cluster %d", len(recorded), len(live))
		}
		for i, a := range live {
			b := recorded[i]
			// A job does not have the duration of its start, so the cluster counts it as running. The
			// history has the times at which the recorder saw the changes.
			if *exact && a.State == "Succeeded" && (math.Abs(a.WaitedSeconds-b.WaitedSeconds) > 3 || a.RanSeconds < b.RanSeconds-3 || a.Ended.Sub(b.Ended.Time).Abs() > 2*time.Second) {
				return fmt.Sprintf("times of %s: cluster %+v, history %+v", a.Name, a, b)
			}
			a.WaitedSeconds, a.RanSeconds, a.Node, a.Ended = 0, 0, "", ended{}
			b.WaitedSeconds, b.RanSeconds, b.Node, b.Ended = 0, 0, "", ended{}
			if a != b {
				return fmt.Sprintf("cluster %+v, history %+v", a, b)
			}
		}
		return ""
	}
	patience.Until(t, "the history agrees", func() string {
		out, err := exec.CommandContext(t.Context(), path, "jobs", "-A", "-o", "json", "--sort", "name", "--db", db).Output()
		var list struct{ Items []listedJob }
		if err = errors.Join(err, json.Unmarshal(out, &list)); err != nil {
			return err.Error() // not recorded yet
		}
		recorded = list.Items
		return differ()
	})
	mine := listJobs(t, path, "--db", db, "--user", "ann@example.com", "--state", "Succeeded")
	if len(mine) != 4 || !strings.HasPrefix(mine[0].Name, "train-") || mine[0].Node == "" {
		t.Errorf("%d jobs of ann: %+v", len(mine), mine)
	}
}
