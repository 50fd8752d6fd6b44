package history

import (
	"context"
	"time"
)

// ListJobsAround is ListJobs with a call between the query for open jobs and the one for ended
// jobs.
func (h *History) ListJobsAround(ctx context.Context, f Filter, p Paging, now time.Time, between func()) (JobPage, error) {
	l := &jobLister{h.db, h.limits, h.bodies}
	s, err := l.begin(ctx, f, p)
	if err != nil {
		return s.page, err
	}
	between()
	return l.finish(ctx, &s, now)
}

// WithLimits returns a History with lower limits, so that a few rows exceed them.
func (h *History) WithLimits(rows, entries int) *History {
	return &History{h.db, limits{rows: rows, entries: entries}, h.bodies}
}
