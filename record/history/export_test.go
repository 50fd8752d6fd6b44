package history

// WithLimits returns a History whose requests do less, so that a few rows are many.
func (h *History) WithLimits(rows, entries int) *History {
	return &History{h.db, limits{rows: rows, entries: entries}, h.bodies}
}
