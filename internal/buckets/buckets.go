// Package buckets counts values in the buckets of a histogram. A histogram has ascending upper
// bounds, one bucket for each bound, and a last bucket for larger values.
package buckets

import "cmp"

// Of returns the index of the bucket of a value: that of the first bound that is not less.
func Of[T cmp.Ordered](bounds []T, value T) int {
	i := 0
	for i < len(bounds) && value > bounds[i] {
		i++
	}
	return i
}

// Count returns the number of values in all buckets.
func Count(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Quantile returns the bound of the bucket with the q-quantile, or the last bound if the
// quantile exceeds it. It returns zero if there are no values.
func Quantile[T cmp.Ordered](bounds []T, counts []uint64, q float64) (value T) {
	total, at := Count(counts), uint64(0)
	if total == 0 {
		return value
	}
	for i, n := range counts {
		if at += n; float64(at) >= q*float64(total) {
			return bounds[min(i, len(bounds)-1)]
		}
	}
	return bounds[len(bounds)-1]
}
