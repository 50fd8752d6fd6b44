package facts

import (
	"math"
	"strconv"
	"strings"
)

// units of quantities, as Kubernetes writes them, with their words for people.
var units = []struct {
	suffix string
	size   float64
	word   string
}{
	{"Ki", 1 << 10, "KiB"},
	{"Mi", 1 << 20, "MiB"},
	{"Gi", 1 << 30, "GiB"},
	{"Ti", 1 << 40, "TiB"},
	{"Pi", 1 << 50, "PiB"},
	{"k", 1e3, "kB"},
	{"M", 1e6, "MB"},
	{"G", 1e9, "GB"},
	{"T", 1e12, "TB"},
	{"P", 1e15, "PB"},
}

// memory returns a quantity of bytes in words, such as "480 GiB", and "" for one that is no
// quantity.
func memory(quantity any) string {
	text, ok := quantity.(string)
	if !ok {
		n, ok := quantity.(float64)
		if !ok {
			return ""
		}
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	for _, u := range units {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			if n, ok := positive(digits); ok {
				return decimal(n) + " " + u.word
			}
			return ""
		}
	}
	n, ok := positive(text)
	if !ok {
		return ""
	}
	for _, u := range []int{4, 3, 2, 1, 0} { // the binary units
		if n >= units[u].size {
			return decimal(n/units[u].size) + " " + units[u].word
		}
	}
	return decimal(n) + " B"
}

func positive(digits string) (float64, bool) {
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil && n > 0 && n < math.MaxInt64
}

// decimal writes a number with at most one decimal.
func decimal(n float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
}

// maxGPUs is more than a cluster has. A larger number is a mistake or an attack.
const maxGPUs = 1_000_000

// gpusOf returns how many GPUs a pod with this specification holds. Init containers run
// before the others, one after another.
func gpusOf(pod tree) int {
	together, alone := 0, 0
	for _, c := range pod.list("containers") {
		together += inContainer(c)
	}
	for _, c := range pod.list("initContainers") {
		alone = max(alone, inContainer(c))
	}
	return min(max(together, alone), maxGPUs)
}

func inContainer(c tree) int { return inResources(c.tree("resources")) }

// inResources returns the GPUs in limits, else in requests.
func inResources(resources tree) int {
	for _, kind := range []string{"limits", "requests"} {
		n := 0
		for name, quantity := range resources.tree(kind) {
			if strings.HasSuffix(name, "/gpu") {
				n += whole(quantity)
			}
		}
		if n > 0 {
			return min(n, maxGPUs)
		}
	}
	return 0
}

// whole returns a whole number, which JSON may have as a string.
func whole(quantity any) int {
	switch q := quantity.(type) {
	case float64:
		if q == math.Trunc(q) && q > 0 && q <= maxGPUs {
			return int(q)
		}
	case string:
		if n, err := strconv.Atoi(q); err == nil && n > 0 && n <= maxGPUs {
			return n
		}
	}
	return 0
}

// times multiplies without an overflow.
func times(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > maxGPUs/b {
		return maxGPUs
	}
	return a * b
}
