package record

import (
	"context"
	"time"
)

// PruneAt is Prune at a time, in steps of some rows,
// without pauses and of that size.
func (d *Database) PruneAt(ctx context.Context, r Retention, now time.Time, rows, span int) (Pruned, error) {
	return d.prune(ctx, r, pruner{now: now, rows: rows, span: span, hurry: true})
}

// PruneBeside is Prune at a time.
func (d *Database) PruneBeside(ctx context.Context, r Retention, now time.Time) (Pruned, error) {
	return d.prune(ctx, r, pruner{now: now})
}

// PruneDryAt is PruneDry at a time.
func (d *Database) PruneDryAt(ctx context.Context, r Retention, now time.Time) (Pruned, error) {
	return d.prune(ctx, r, pruner{now: now, dry: true})
}
