package jobindex

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
)

// ViewAt is View at a time.
func (x *Index) ViewAt(now time.Time, f func(*View) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return f(newView(x.table, now))
}

// Remove removes jobs.
func (x *Index) Remove(ids ...int64) {
	x.change(func(t *table) {
		var rows []uint32
		for _, id := range ids {
			if row, ok := t.find(id); ok {
				rows = append(rows, row)
			}
		}
		t.remove(rows)
	})
}

// SetGaps sets the open gaps.
func (x *Index) SetGaps(gaps []history.Gap) { x.change(func(t *table) { t.setGaps(gaps) }) }

// Copy replaces the table by its copy.
func (x *Index) Copy() { x.replace(x.table.clone()) }

// Runner exposes the steps of Run.
type Runner struct{ *runner }

// NewRunner returns the runner of an index.
func NewRunner(x *Index) Runner { return Runner{newRunner(x)} }

// Settle makes steps until no work is left: the feed is applied, and with sweep a sweep has compared all jobs.
func (r Runner) Settle(ctx context.Context, sweep bool) error {
	for {
		before := r.x.Position()
		if sweep && r.sweeper != nil {
			r.sweeper.next = time.Time{}
		}
		r.gapsAt = time.Time{}
		if _, err := feed.Sequence(ctx, r.reader.db); err != nil {
			return err
		}
		if _, err := r.step(ctx); err != nil {
			return err
		}
		if r.loaded && r.x.Position() == before && len(r.suspects) == 0 && (!sweep || !r.sweeper.begun) {
			return nil
		}
	}
}

// Sweep makes a step of the sweep without first reading the feed.
func (r Runner) Sweep(ctx context.Context) error {
	r.sweeper.next = time.Time{}
	return r.sweep(ctx)
}
