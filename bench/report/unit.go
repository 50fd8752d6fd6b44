package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/vedette-io/vedette/bench/scenario"
)

// scale is one step of a unit.
type scale struct {
	from   float64
	factor float64
	name   string
}

var scales = map[scenario.Unit][]scale{
	scenario.Seconds: {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}},
	scenario.Bytes:   {{1e9, 1e-9, "GB"}, {1e6, 1e-6, "MB"}, {1e3, 1e-3, "KB"}, {0, 1, "B"}},
	scenario.Share:   {{0, 100, "%"}},
	scenario.Number:  {{0, 1, ""}},
}

// format writes a value with three digits and its unit.
func format(v float64, u scenario.Unit) string {
	for _, s := range scales[u] {
		if math.Abs(v) >= s.from {
			return strings.TrimSpace(digits(v*s.factor) + " " + s.name)
		}
	}
	return digits(v)
}

// digits writes a number with about three digits, and commas.
func digits(v float64) string {
	switch abs := math.Abs(v); {
	case v == 0:
		return "0"
	case abs < 10:
		return fmt.Sprintf("%.2f", v)
	case abs < 100:
		return fmt.Sprintf("%.1f", v)
	}
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// spread formats the range of the rounds, relative to the median.
func (v value) spread() string {
	if v.rounds < 2 || v.median == 0 {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", 50*(v.most-v.least)/math.Abs(v.median))
}

// ratio formats a as a fraction or a multiple of b.
func ratio(a, b float64) string {
	switch {
	case a == 0 || b == 0:
		return "-"
	case a <= b:
		return "1/" + digits(b/a)
	}
	return digits(a/b) + "x"
}
