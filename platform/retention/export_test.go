package retention

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// PruneAt is like Prune at a time, in equal steps with some rows and spans, without pauses.
func PruneAt(ctx context.Context, db *sqldb.DB, policy Policy, now time.Time, rows, span int) (Result, error) {
	return prune(ctx, &pruner{db: db, policy: policy, now: now, rows: rows, span: span, steady: true})
}

// PruneBeside is like Prune at a time.
func PruneBeside(ctx context.Context, db *sqldb.DB, policy Policy, now time.Time) (Result, error) {
	return prune(ctx, &pruner{db: db, policy: policy, now: now})
}

// PreviewAt is like Preview at a time.
func PreviewAt(ctx context.Context, db *sqldb.DB, policy Policy, now time.Time) (Result, error) {
	return prune(ctx, &pruner{db: db, policy: policy, now: now, preview: true})
}
