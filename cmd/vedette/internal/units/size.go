package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizes are units of bytes. Those with an i are powers of 1024.
var sizes = []struct {
	unit  string
	bytes float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}

// ParseSize parses 20GiB, 500MB or a number of bytes.
func ParseSize(text string) (int64, error) {
	number, factor := text, 1.0
	for _, s := range sizes {
		if n, found := strings.CutSuffix(text, s.unit); found {
			number, factor = n, s.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if bytes := n * factor; err == nil && bytes >= 1 && bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size: want 20GiB, 500MB or a number of bytes, for example", text)
}

// Size formats a number of bytes.
func Size(n int64) string {
	for _, s := range sizes[:4] {
		if float64(n) >= s.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/s.bytes, s.unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
