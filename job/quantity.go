package job

import (
	"math"
	"strconv"
	"strings"
)

// byteUnits are the units of quantities in Kubernetes notation, with their names for people.
var byteUnits = []struct {
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

// Memory formats a quantity of bytes for people, such as "480 GiB". It returns "" for an
// invalid quantity.
func Memory(quantity any) string {
	text, ok := quantityText(quantity)
	if !ok {
		return ""
	}
	for _, u := range byteUnits {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			if n, ok := positive(digits); ok {
				return formatNumber(n) + " " + u.word
			}
			return ""
		}
	}
	n, ok := positive(text)
	if !ok {
		return ""
	}
	return Bytes(int64(n))
}

// Bytes formats a number of bytes for people, such as "1.5 TiB".
func Bytes(bytes int64) string {
	n := float64(bytes)
	for _, u := range []int{4, 3, 2, 1, 0} { // the binary units
		if n >= byteUnits[u].size {
			return formatNumber(n/byteUnits[u].size) + " " + byteUnits[u].word
		}
	}
	return formatNumber(n) + " B"
}

// parseQuantity returns a quantity as a number, such as 0.5 for "500m". It returns 0 for an
// invalid or negative quantity.
func parseQuantity(quantity any) float64 {
	text, ok := quantityText(quantity)
	if !ok {
		return 0
	}
	size := 1.0
	for _, u := range byteUnits {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			text, size = digits, u.size
			break
		}
	}
	if digits, ok := strings.CutSuffix(text, "m"); ok && size == 1 {
		text, size = digits, 1e-3
	}
	n, ok := positive(text)
	if !ok {
		return 0
	}
	return min(n*size, math.MaxInt64/2)
}

// quantityText returns a quantity as text. In JSON it may be a number.
func quantityText(quantity any) (string, bool) {
	if text, ok := quantity.(string); ok {
		return text, true
	}
	n, ok := float(quantity)
	return strconv.FormatFloat(n, 'f', -1, 64), ok
}

func positive(digits string) (float64, bool) {
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil && n > 0 && n < math.MaxInt64
}

// formatNumber formats a number with at most one decimal.
func formatNumber(n float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
}

// wholeNumber returns a whole number up to maxCount, which may be a string in JSON. It returns
// 0 for other values.
func wholeNumber(quantity any) int {
	if q, ok := float(quantity); ok {
		if q == math.Trunc(q) && q > 0 && q <= maxCount {
			return int(q)
		}
		return 0
	}
	text, _ := quantity.(string)
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= maxCount {
		return n
	}
	return 0
}

// maxCount is more than the GPUs or pods of any cluster. A larger number is a mistake or
// an attack.
const maxCount = 1_000_000

// product multiplies without an overflow.
func product(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > maxCount/b {
		return maxCount
	}
	return a * b
}
