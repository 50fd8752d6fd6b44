package retention

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Run waits at its start and between checks of the size.
const (
	firstWait = time.Minute // recorders that start need the database
	sizeCheck = 5 * time.Minute
)

// Run prunes periodically until ctx is done. It blocks. It logs what it removed, and
// errors, and then continues.
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
	var last time.Time // when all of the policy was applied
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
		log.Warn("cursors of the feed have expired, because nobody used them; transitions that they have not read are not kept for them any more",
			"cursors", r.Expired, "remedy", "start their consumers again with a new position, or remove them")
	}
	switch {
	case err != nil:
		log.Error("pruning failed; it is tried again", "err", err)
	case r.Excess > 0:
		log.Warn("the database exceeds its maximum size; the rest is needed or younger than an hour", "bytes", r.Size.Used, "excess", r.Excess)
	case r.Revisions+r.Stripped+r.Objects > 0 || r.Logs.Logs > 0:
		log.Info("history pruned", "removed", r.String(), "bytes", r.Size.Used)
	}
	if r.Feed > 0 {
		log.Info("feed shortened", "positions", r.Feed)
	}
}
