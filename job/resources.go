package job

import (
	"slices"
	"strings"
)

// devices are extended resources for whole accelerators whose names do not end in "/gpu".
var devices = []string{
	"nvidia.com/gpu.shared", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "google.com/tpu",
	"aws.amazon.com/neuron", "aws.amazon.com/neurondevice", "hygon.com/dcu", "cambricon.com/mlu", "cambricon.com/vmlu", "cambricon.com/mlunum",
	"enflame.com/gcu", "mthreads.com/vgpu", "metax-tech.com/vgpu", "kunlunxin.com/xpu", "kunlunxin.com/vxpu", "alibabacloud.com/ppu",
	"volcano.sh/gpu-number", "volcano.sh/vgpu-number", "iluvatar.ai/vgpu", "hygon.com/dcunum",
}

// isGPU reports whether an extended resource counts GPUs or other accelerators: whole,
// shared or sliced ones. Resources for the memory or the cores of a GPU do not count.
func isGPU(name string) bool {
	vendor, device, named := strings.Cut(name, "/")
	if !named {
		return false
	}
	return device == "gpu" || slices.Contains(devices, name) ||
		vendor == "nvidia.com" && strings.HasPrefix(device, "mig-") || // a slice, such as mig-1g.10gb
		vendor == "huawei.com" && strings.HasPrefix(device, "Ascend") && !strings.HasSuffix(device, "-memory")
}

// resources are the resources of a pod or a job.
type resources struct {
	gpus   int
	cpu    float64 // cores
	memory float64 // bytes
}

// readResources returns the resources of a container. GPUs are in the limits, else in the
// requests. CPU and memory are in the requests, else in the limits.
func readResources(o Object) (r resources) {
	for _, kind := range []string{"limits", "requests"} {
		for name, quantity := range o.Map(kind) {
			if isGPU(name) {
				r.gpus = min(r.gpus+wholeNumber(quantity), maxCount)
			}
		}
		if r.gpus > 0 {
			break
		}
	}
	for _, kind := range []string{"requests", "limits"} {
		named := o.Map(kind)
		if r.cpu == 0 {
			r.cpu = parseQuantity(named["cpu"])
		}
		if r.memory == 0 {
			r.memory = parseQuantity(named["memory"])
		}
	}
	return r
}

// resourcesOfPod returns the resources of a pod. Init containers run before the others, one after
// another.
func resourcesOfPod(pod Object) resources {
	var together, alone resources
	for _, c := range pod.List("containers") {
		together = together.plus(readResources(c.Map("resources")))
	}
	for _, c := range pod.List("initContainers") {
		r := readResources(c.Map("resources"))
		alone = resources{max(alone.gpus, r.gpus), max(alone.cpu, r.cpu), max(alone.memory, r.memory)}
	}
	return resources{max(together.gpus, alone.gpus), max(together.cpu, alone.cpu), max(together.memory, alone.memory)}
}

func (r resources) plus(s resources) resources {
	return resources{min(r.gpus+s.gpus, maxCount), min(r.cpu+s.cpu, maxAmount), min(r.memory+s.memory, maxAmount)}
}

func (r resources) times(n int) resources {
	return resources{product(r.gpus, n), min(r.cpu*float64(n), maxAmount), min(r.memory*float64(n), maxAmount)}
}

// maxAmount limits CPU and memory, so that they fit into an integer.
const maxAmount = 1 << 62

// IsGPU reports whether an extended resource counts GPUs or other accelerators, as Spec.GPUs
// does: "nvidia.com/gpu".
func IsGPU(resource string) bool { return isGPU(resource) }
