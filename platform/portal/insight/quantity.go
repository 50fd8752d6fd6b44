package insight

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vedette-io/vedette/job"
)

// amounts are amounts of resources by their names, such as "nvidia.com/gpu": CPU in cores,
// memory in bytes. Cores are rounded up.
type amounts map[string]int64

// maxAmount limits an amount, so that sums cannot overflow.
const maxAmount = math.MaxInt64 >> 20

// add adds the quantities of a list of resources, multiplied.
func (a amounts) add(list job.Object, times int64) {
	for name := range list {
		if n := quantity(name, list.At(name)); n > 0 && times > 0 {
			a[name] = min(maxAmount, a[name]+min(maxAmount, n)*min(times, 1<<19))
		}
	}
}

// quantity returns a quantity of a resource; 0 for an invalid or negative one.
func quantity(name string, value any) int64 {
	switch value.(type) {
	case string, int, int64, float64, fmt.Stringer:
	default:
		return 0
	}
	text := fmt.Sprint(value)
	if len(text) > 40 {
		return 0
	}
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Sign() <= 0 {
		return 0
	}
	// Value rounds up. The quantity of a counted resource is whole.
	return min(maxAmount, q.Value())
}

// isGPU reports whether a resource counts GPUs of some vendor.
func isGPU(name string) bool { return job.IsGPU(name) }
