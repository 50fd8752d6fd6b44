package facts_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/vedette-io/vedette/notify/facts"
	"github.com/vedette-io/vedette/notify/message"
)

// gpuPod is the specification of a pod with so many GPUs.
func gpuPod(gpus string) string {
	return `{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"` + gpus + `","cpu":"4"}}},{"resources":{"requests":{"cpu":"1"}}}]}`
}

func TestGPUs(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"pod", `{"apiVersion":"v1","kind":"Pod","spec":` + gpuPod("4") + `}`, 4},
		{"job", `{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":4,"template":{"spec":` + gpuPod("8") + `}}}`, 32},
		{"job with fewer completions", `{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":4,"completions":2,"template":{"spec":` + gpuPod("8") + `}}}`, 16},
		{"PyTorchJob", `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":{"pytorchReplicaSpecs":{"Master":{"template":{"spec":` + gpuPod("8") +
			`}},"Worker":{"replicas":3,"template":{"spec":` + gpuPod("8") + `}}}}}`, 32},
		{"TFJob", `{"apiVersion":"kubeflow.org/v1","kind":"TFJob","spec":{"tfReplicaSpecs":{"PS":{"replicas":2,"template":{"spec":` + gpuPod("0") +
			`}},"Worker":{"replicas":2,"template":{"spec":` + gpuPod("1") + `}}}}}`, 2},
		{"MPIJob", `{"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob","spec":{"mpiReplicaSpecs":{"Worker":{"replicas":2,"template":{"spec":` + gpuPod("4") + `}}}}}`, 8},
		{"TrainJob", `{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","spec":{"trainer":{"numNodes":4,"resourcesPerNode":{"limits":{"nvidia.com/gpu":8}}}}}`, 32},
		{"RayJob", `{"apiVersion":"ray.io/v1","kind":"RayJob","spec":{"rayClusterSpec":{"headGroupSpec":{"template":{"spec":` + gpuPod("1") +
			`}},"workerGroupSpecs":[{"replicas":2,"numOfHosts":2,"template":{"spec":` + gpuPod("8") + `}},{"minReplicas":1,"template":{"spec":` + gpuPod("2") + `}}]}}}`, 35},
		{"Volcano", `{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"tasks":[{"replicas":2,"template":{"spec":` + gpuPod("8") + `}},{"replicas":1,"template":{"spec":` + gpuPod("0") + `}}]}}`, 16},
		{"JobSet", `{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","spec":{"replicatedJobs":[{"replicas":2,"template":{"spec":{"parallelism":4,"template":{"spec":` + gpuPod("1") + `}}}}]}}`, 8},
		{"Workload", `{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","spec":{"podSets":[{"count":4,"template":{"spec":` + gpuPod("8") + `}}]}}`, 32},
		{"Deployment", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3,"template":{"spec":` + gpuPod("1") + `}}}`, 3},
		{"other maker", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"amd.com/gpu":"2"}}}]}}`, 2},
		{"requests only", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"2"}}}]}}`, 2},
		{"init container", `{"apiVersion":"v1","kind":"Pod","spec":{"initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}],"containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}}`, 4},
		{"none", `{"apiVersion":"v1","kind":"Pod","spec":{}}`, 0},
		{"odd types", `{"apiVersion":7,"kind":["Pod"],"spec":{"template":"x","replicas":{}}}`, 0},
		{"an odd quantity", `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1e99"}}}, 5, null]}}`, 0},
		{"huge numbers", `{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":2000000000,"template":{"spec":` + gpuPod("999999") + `}}}`, 1_000_000},
		{"no object", `[1]`, 0},
		{"no JSON", `{`, 0},
	} {
		if got := facts.ReadSpec([]byte(c.body)).GPUs; got != c.want {
			t.Errorf("%s: %d GPUs, want %d", c.name, got, c.want)
		}
	}
}

func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       message.Kind
		n, of      int
	}{
		{"first", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2}}`, message.Started, 1, 3},
		{"after a failure", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2},"status":{"failed":1}}`, message.Restarted, 2, 3},
		{"the last one failed", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2},"status":{"failed":3}}`, message.Failed, 3, 3},
		{"failed at once", `{"apiVersion":"batch/v1","kind":"Job","status":{"failed":1}}`, message.Failed, 1, 7},
		{"pods are no attempts", `{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":8},"status":{"failed":5}}`, message.Failed, 0, 0},
		{"Volcano", `{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"maxRetry":3},"status":{"retryCount":3}}`, message.Failed, 3, 3},
		{"RayJob", `{"apiVersion":"ray.io/v1","kind":"RayJob","spec":{"backoffLimit":1},"status":{"failed":2}}`, message.Failed, 2, 2},
		{"JobSet", `{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","spec":{"failurePolicy":{"maxRestarts":3}},"status":{"restarts":3}}`, message.Failed, 4, 4},
		{"Kubeflow counts nothing", `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":{"runPolicy":{"backoffLimit":2}}}`, message.Failed, 0, 3},
		{"odd types", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":"2"},"status":{"failed":-7}}`, message.Failed, 1, 7},
	} {
		s := facts.ReadSpec([]byte(c.body))
		if n := s.AttemptOf(c.kind); n != c.n || s.Attempts != c.of {
			t.Errorf("%s: attempt %d of %d, want %d of %d", c.name, n, s.Attempts, c.n, c.of)
		}
	}
}

func TestDeadlines(t *testing.T) {
	began := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		body string
		want time.Time
	}{
		{`{"spec":{"activeDeadlineSeconds":3600},"status":{"startTime":"2026-11-22T08:00:00Z"}}`, began.Add(time.Hour)},
		{`{"spec":{"runPolicy":{"activeDeadlineSeconds":60}},"status":{"startTime":"2026-11-22T08:00:00Z"}}`, began.Add(time.Minute)},
		{`{"spec":{"activeDeadlineSeconds":3600}}`, time.Time{}},
		{`{"spec":{"activeDeadlineSeconds":-1},"status":{"startTime":"2026-11-22T08:00:00Z"}}`, time.Time{}},
		{`{"spec":{"activeDeadlineSeconds":1e300},"status":{"startTime":"2026-11-22T08:00:00Z"}}`, time.Time{}},
		{`{"spec":{"activeDeadlineSeconds":60},"status":{"startTime":"yesterday"}}`, time.Time{}},
	} {
		if got := facts.ReadSpec([]byte(c.body)).Deadline; !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}

func TestMemory(t *testing.T) {
	for quantity, want := range map[any]string{
		"480Gi": "480 GiB", "1.5Ti": "1.5 TiB", "500M": "500 MB", "1073741824": "1 GiB", 1048576.0: "1 MiB", "1023": "1023 B", "12e9": "11.2 GiB",
		"": "", "-5Gi": "", "x": "", "NaN": "", "InfGi": "", true: "", nil: "",
	} {
		if got := facts.Memory(quantity); got != want {
			t.Errorf("%v: %q, want %q", quantity, got, want)
		}
	}
}

// FuzzReadSpec: no body makes a reader fail, and numbers stay within their bounds.
func FuzzReadSpec(f *testing.F) {
	for _, body := range []string{`{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":4}}`, `{"kind":"Pod","status":{"containerStatuses":[{}]}}`, `[]`, ``} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := facts.ReadSpec(body)
		if s.GPUs < 0 || s.GPUs > 1_000_000 || s.Attempt < 0 || s.Attempts < 0 || s.Limit < 0 {
			t.Errorf("%+v", s)
		}
		s.Field("a.b")
		s.Annotation("x")
		if _, err := json.Marshal(facts.PodCause(body)); err != nil {
			t.Error(err)
		}
	})
}
