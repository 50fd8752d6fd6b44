package history

// WithLimits returns a History with lower limits, so that a few rows exceed them.
func (h *History) WithLimits(rows, entries int) *History {
	return &History{h.db, limits{rows: rows, entries: entries}, h.bodies}
}
