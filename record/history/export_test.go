package history

import "time"

// WithLimits returns a History whose requests do less, so that a few rows are many.
func (h *History) WithLimits(rows, entries int) *History {
	return &History{h.db, limits{rows: rows, entries: entries}, h.bodies}
}

// Hatch cuts times out of spans: pairs of a beginning and an end.
func Hatch(spans []Span, pairs ...time.Time) []Span {
	var missing []interval
	for i := 0; i < len(pairs); i += 2 {
		missing = append(missing, interval{pairs[i], pairs[i+1]})
	}
	return hatch(spans, missing)
}
