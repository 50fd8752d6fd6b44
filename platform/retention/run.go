package retention

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Times for which Run waits at its start and between checks of the size.
const (
	firstWait = time.Minute // starting recorders need the database
	sizeCheck = 5 * time.Minute
)

// Run prunes periodically until ctx ends. It blocks. It logs each result and each error,
// and continues after an error.
//
// Errors: an invalid policy.
func Run(ctx context.Context, db *sqldb.DB, policy Policy, log *slog.Logger) error {
	policy, err := policy.withDefaults()
	if err != nil {
		return err
	}
	interval := policy.Every
	if policy.MaxBytes > 0 {
		interval = min(interval, sizeCheck)
	}
	timer := time.NewTimer(min(firstWait, interval))
	defer timer.Stop()
	var last time.Time // time of the last complete run
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		now := policy
		if time.Since(last) < policy.Every {
			now = Policy{MaxBytes: policy.MaxBytes, MaxLogBytes: policy.MaxLogBytes, KeepLast: policy.KeepLast, KeepFeed: Forever, CursorIdle: policy.CursorIdle}
		} else {
			last = time.Now()
		}
		result, err := Prune(ctx, db, now)
		if ctx.Err() != nil {
			return nil
		}
		report(log, result, err)
		timer.Reset(interval)
	}
}

// report logs the result of a run.
func report(log *slog.Logger, r Result, err error) {
	if len(r.Expired) > 0 {
		log.Warn("cursors of the feed have expired because they were idle; transitions that they have not read are no longer kept",
			"cursors", r.Expired, "remedy", "restart their consumers at a new position, or remove the cursors")
	}
	switch {
	case err != nil:
		log.Error("pruning failed; will retry", "err", err)
	case r.Excess > 0:
		log.Warn("the database exceeds its maximum size; the rest is needed or younger than an hour", "bytes", r.Size.Used, "excess", r.Excess)
	case r.Revisions+r.Stripped+r.Objects > 0 || r.Logs.Logs > 0:
		log.Info("history pruned", "removed", r.String(), "bytes", r.Size.Used)
	}
	if r.Feed > 0 {
		log.Info("feed shortened", "positions", r.Feed)
	}
}
