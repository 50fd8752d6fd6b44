package swap

import (
	"strconv"
	"strings"
)

// older reports whether a release precedes another. It compares the three numbers, so it
// is false for prereleases of one release.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return strings.Contains(a, "-") && !strings.Contains(b, "-")
}

// numbers returns the three numbers of a version.
func numbers(version string) [3]int {
	var out [3]int
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	version, _, _ = strings.Cut(version, "+")
	for i, part := range strings.SplitN(version, ".", 3) {
		out[i], _ = strconv.Atoi(part)
	}
	return out
}
