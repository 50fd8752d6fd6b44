package job_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
)

// gpuPod is the specification of a pod with a number of GPUs.
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
		if got := job.ParseSpec([]byte(c.body)).GPUs; got != c.want {
			t.Errorf("%s: %d GPUs, want %d", c.name, got, c.want)
		}
	}
}

func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		name, body string
		failed     bool
		n, of      int
	}{
		{"first", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2}}`, false, 1, 3},
		{"after a failure", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2},"status":{"failed":1}}`, false, 2, 3},
		{"after a failure that is not counted yet", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2},"status":{"failed":1,"uncountedTerminatedPods":{"failed":["a"]}}}`, false, 3, 3},
		{"a limit for each index", `{"apiVersion":"batch/v1","kind":"Job","spec":{"completions":9,"backoffLimitPerIndex":1,"backoffLimit":2147483647},"status":{"failed":2}}`, false, 0, 0},
		{"the last one failed", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":2},"status":{"failed":3}}`, true, 3, 3},
		{"failed at once", `{"apiVersion":"batch/v1","kind":"Job","status":{"failed":1}}`, true, 1, 7},
		{"pods are no attempts", `{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":8},"status":{"failed":5}}`, true, 0, 0},
		{"Volcano", `{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"maxRetry":3},"status":{"retryCount":3}}`, true, 3, 3},
		{"RayJob", `{"apiVersion":"ray.io/v1","kind":"RayJob","spec":{"backoffLimit":1},"status":{"failed":2}}`, true, 2, 2},
		{"JobSet", `{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","spec":{"failurePolicy":{"maxRestarts":3}},"status":{"restarts":3}}`, true, 4, 4},
		{"Kubeflow counts nothing", `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":{"runPolicy":{"backoffLimit":2}}}`, true, 0, 3},
		{"odd types", `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":"2"},"status":{"failed":-7}}`, true, 1, 7},
	} {
		s := job.ParseSpec([]byte(c.body))
		if n := s.AttemptOf(c.failed); n != c.n || s.Attempts != c.of {
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
		{`{"spec":{"activeDeadlineSeconds":60},"status":{"startedAt":"2026-11-22T08:00:00Z"}}`, began.Add(time.Minute)}, // a workflow
		{`{"spec":{"activeDeadlineSeconds":1000000000000},"status":{"startTime":"2026-11-22T08:00:00Z"}}`, began.Add(10 * 365 * 24 * time.Hour)},
	} {
		if got := job.ParseSpec([]byte(c.body)).Deadline; !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}

func TestMemory(t *testing.T) {
	for quantity, want := range map[any]string{
		"480Gi": "480 GiB", "1.5Ti": "1.5 TiB", "500M": "500 MB", "1073741824": "1 GiB", 1048576.0: "1 MiB", "1023": "1023 B", "12e9": "11.2 GiB",
		"": "", "-5Gi": "", "x": "", "NaN": "", "InfGi": "", true: "", nil: "",
	} {
		if got := job.Memory(quantity); got != want {
			t.Errorf("%v: %q, want %q", quantity, got, want)
		}
	}
}

// TestDevices: accelerators of all vendors count, but not the memory or the cores of a
// GPU.
func TestDevices(t *testing.T) {
	for name, want := range map[string]int{
		"nvidia.com/gpu": 2, "nvidia.com/gpu.shared": 2, "nvidia.com/mig-1g.10gb": 2, "nvidia.com/mig-3g.40gb.shared": 2, "amd.com/gpu": 2, "gpu.intel.com/i915": 2,
		"habana.ai/gaudi": 2, "huawei.com/Ascend910": 2, "hygon.com/dcu": 2, "google.com/tpu": 2, "aws.amazon.com/neuron": 2, "metax-tech.com/gpu": 2,
		"cpu": 0, "gpu": 0, "nvidia.com/gpumem": 0, "nvidia.com/gpucores": 0, "huawei.com/Ascend910-memory": 0, "gpu.intel.com/i915_monitoring": 0, "rdma/hca": 0,
	} {
		body := `{"kind":"Pod","spec":{"containers":[{"resources":{"limits":{"` + name + `":"2"}}}]}}`
		if got := job.ParseSpec([]byte(body)).GPUs; got != want {
			t.Errorf("%s: %d GPUs, want %d", name, got, want)
		}
	}
	both := `{"kind":"Pod","spec":{"containers":[{"resources":{"limits":{"nvidia.com/mig-1g.10gb":"2","nvidia.com/mig-2g.20gb":1}}}]}}`
	if got := job.ParseSpec([]byte(both)).GPUs; got != 3 {
		t.Errorf("slices of two sizes: %d GPUs, want 3", got)
	}
}

// TestProgram: the program of a job, and its resources other than GPUs.
func TestProgram(t *testing.T) {
	pod := func(image string) string {
		return `{"template":{"spec":{"containers":[{"image":"` + image + `","command":["python"],"args":["train.py"],"resources":{"requests":{"cpu":"1500m","memory":"2Gi"},"limits":{"cpu":"4"}}},{"image":"side"}]}}}`
	}
	for _, c := range []struct {
		name, body, image, command, queue string
		pods                              int
		cpu                               float64
		memory                            int64
	}{
		{"Job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"kueue.x-k8s.io/queue-name":"a100"}},"spec":` + pod("a") + `}`, "a", "python train.py", "a100", 1, 1.5, 2 << 30},
		{"PyTorchJob", `{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":{"runPolicy":{"schedulingPolicy":{"queue":"h100"}},"pytorchReplicaSpecs":{"Evaluator":` + pod("e") + `,"Master":` + pod("m") + `}}}`, "m", "python train.py", "h100", 2, 3, 4 << 30},
		{"TrainJob", `{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","spec":{"trainer":{"numNodes":3,"image":"t","command":["torchrun"],"args":["x.py"],"resourcesPerNode":{"limits":{"cpu":2,"memory":"1G"}}}}}`, "t", "torchrun x.py", "", 3, 6, 3e9},
		{"RayJob", `{"apiVersion":"ray.io/v1","kind":"RayJob","spec":{"entrypoint":"python  a.py","rayClusterSpec":{"headGroupSpec":` + pod("h") + `,"workerGroupSpecs":[{"replicas":2,"template":{}}]}}}`, "h", "python a.py", "", 3, 1.5, 2 << 30},
		{"Volcano", `{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"queue":"q","tasks":[` + pod("v") + `]}}`, "v", "python train.py", "q", 1, 1.5, 2 << 30},
		{"Workflow", `{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow","spec":{"templates":[{"container":{"image":"a"}},{"script":{"image":"b","resources":{"limits":{"amd.com/gpu":1}}}}]}}`, "b", "", "", 1, 0, 0},
		{"nothing", `{}`, "", "", "", 0, 0, 0},
	} {
		s := job.ParseSpec([]byte(c.body))
		if s.Image != c.image || strings.Join(s.Command, " ") != c.command || s.Queue != c.queue || s.Pods != c.pods || s.CPU != c.cpu || s.Memory != c.memory {
			t.Errorf("%s: %q %q %q, %d pods, %v cores, %d bytes", c.name, s.Image, s.Command, s.Queue, s.Pods, s.CPU, s.Memory)
		}
	}
}

// TestPriority: the class of the queue takes precedence over that of the pods.
func TestPriority(t *testing.T) {
	const pods = `"template":{"spec":{"priorityClassName":"low"}}`
	for _, c := range []struct{ body, want string }{
		{`{"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"kueue.x-k8s.io/priority-class":"high"}},"spec":{` + pods + `}}`, "high"},
		{`{"apiVersion":"batch/v1","kind":"Job","spec":{` + pods + `}}`, "low"},
		{`{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","spec":{"priorityClassName":"mid","tasks":[{` + pods + `}]}}`, "mid"},
		{`{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":{"runPolicy":{"schedulingPolicy":{"priorityClass":"top"}}}}`, "top"},
		{`{"apiVersion":"batch/v1","kind":"Job"}`, ""},
	} {
		if got := job.ParseSpec([]byte(c.body)).Priority; got != c.want {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestOf: decoders of Kubernetes produce other number types than encoding/json.
func TestReadSpec(t *testing.T) {
	container := map[string]any{"resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": int64(8)}}}
	spec := map[string]any{"parallelism": int64(4), "template": map[string]any{"spec": map[string]any{"containers": []any{container}}}}
	if got := job.ReadSpec(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": spec}); got.GPUs != 32 || got.Pods != 4 {
		t.Errorf("%d GPUs in %d pods, want 32 in 4", got.GPUs, got.Pods)
	}
	spec["parallelism"] = json.Number("2")
	if got := job.ReadSpec(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": spec}); got.GPUs != 16 {
		t.Errorf("%d GPUs, want 16", got.GPUs)
	}
}

// FuzzRead: no body causes a panic, and numbers stay within their limits.
func FuzzRead(f *testing.F) {
	for _, body := range []string{`{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":4}}`, `{"kind":"Pod","status":{"containerStatuses":[{}]}}`, `[]`, ``} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := job.ParseSpec(body)
		if s.GPUs < 0 || s.GPUs > 1_000_000 || s.Attempt < 0 || s.Attempts < 0 || s.Limit < 0 || s.Pods < 0 || s.CPU < 0 || s.Memory < 0 {
			t.Errorf("got %+v, want no negative numbers and at most 1000000 GPUs", s)
		}
		s.Field("a.b")
		s.Annotation("x")
	})
}
