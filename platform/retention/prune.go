package retention

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// lockName is the lock of the database that one pruning process holds.
const lockName = "vedette retention"

// Prune removes history that a policy does not keep. It works in small steps, between which
// writers proceed. Of several concurrent calls, in any process, one does the work, and the
// others return with Result.Busy.
//
// Errors: an invalid policy; those of the database. History that was removed before an
// error stays removed.
func Prune(ctx context.Context, db *sqldb.DB, policy Policy) (Result, error) {
	return prune(ctx, &pruner{db: db, policy: policy, now: db.Now()})
}

// Preview counts what Prune would remove by age and state, and removes nothing. It does not
// count removals because of the size of the database; Result.Excess is the excess size.
//
// Errors: those of Prune.
func Preview(ctx context.Context, db *sqldb.DB, policy Policy) (Result, error) {
	return prune(ctx, &pruner{db: db, policy: policy, now: db.Now(), preview: true})
}

func prune(ctx context.Context, p *pruner) (Result, error) {
	policy, err := p.policy.withDefaults()
	if err != nil {
		return Result{}, err
	}
	p.policy = policy
	if !p.preview {
		unlock, locked, err := p.db.TryLock(ctx, lockName)
		if err != nil {
			return Result{}, fmt.Errorf("%s: lock for retention: %w", p.db, err)
		}
		if !locked {
			return Result{Busy: true}, nil
		}
		defer func() { _ = unlock() }() // the lock also ends with its connection
	}
	if err := p.run(ctx); err != nil {
		return p.result, fmt.Errorf("%s: retention: %w", p.db, err)
	}
	return p.result, nil
}

// pruner is one run of Prune or Preview.
type pruner struct {
	db      *sqldb.DB
	policy  Policy
	now     time.Time
	preview bool
	// rows is the number of revisions in the next step. It begins with 100, and adapts to
	// the duration of steps. span is the number of row IDs that one query for candidates
	// covers. Default: 20,000.
	rows, span int
	// steady makes all steps equal, without pauses. Tests set it.
	steady bool

	goal   int64 // number of excess bytes; 0 or less: the size is irrelevant
	result Result
}

// run applies the policy, by age and then by size.
func (p *pruner) run(ctx context.Context) error {
	if p.rows == 0 {
		p.rows = 100
	}
	if !p.preview { // idle cursors must expire before they protect transitions
		f := feedPruner{db: p.db, policy: &p.policy, now: p.now}
		err := f.run(ctx)
		if p.result.Feed, p.result.Expired = f.rows, f.expired; err != nil {
			return err
		}
	}
	if err := p.pruneLogs(ctx); err != nil {
		return err
	}
	if p.span == 0 {
		p.span = 20_000
	}
	if p.policy.smallestAge() < Forever || p.policy.KeepBodies < Forever {
		if err := p.scan(ctx, byAge{&p.policy, p.now}); err != nil {
			return err
		}
	}
	var err error
	if p.result.Coverage, err = compact(ctx, p.db, p.policy.Keep, p.now, p.preview); err != nil {
		return err
	}
	if p.result.Size, err = p.db.Size(ctx); err != nil {
		return err
	}
	if p.policy.MaxBytes > 0 && p.result.Size.History() > p.policy.MaxBytes {
		if err := p.shrink(ctx); err != nil {
			return err
		}
	}
	if p.preview {
		return nil
	}
	if p.result.Revisions+p.result.Stripped > 0 || p.result.Logs.Logs > 0 {
		if err := p.db.Vacuum(ctx); err != nil {
			return err
		}
	}
	if p.result.Size.Exact {
		p.result.Size, err = p.db.Size(ctx)
	}
	return err
}

// pruneLogs removes kept logs by age and by size.
func (p *pruner) pruneLogs(ctx context.Context) (err error) {
	before := p.now.Add(-p.policy.KeepLogs)
	switch {
	case p.policy.KeepLogs == Forever:
	case p.preview:
		p.result.Logs, err = joblog.Expired(ctx, p.db, before)
	default:
		p.result.Logs, err = joblog.Prune(ctx, p.db, before, p.pauseAfter)
	}
	if err == nil && p.policy.MaxLogBytes > 0 && !p.preview {
		err = joblog.Shrink(ctx, p.db, p.policy.MaxLogBytes, p.now)
	}
	return err
}

// pauseAfter pauses after a step, to let writers proceed.
func (p *pruner) pauseAfter(ctx context.Context, took time.Duration) error {
	if p.steady {
		return nil
	}
	return pause.For(ctx, pauseFactor*took)
}

// shrink removes the oldest revisions until the database is small enough.
func (p *pruner) shrink(ctx context.Context) error {
	r := &p.result
	if p.preview {
		r.Excess = r.Size.History() - p.policy.MaxBytes
		return nil
	}
	p.goal = r.Size.History() - p.target()
	before := r.Bytes
	if err := p.scan(ctx, bySize{p.now}); err != nil {
		return err
	}
	r.Excess = max(0, p.goal-p.policy.MaxBytes/50)
	r.Size.Used = max(0, r.Size.Used-(r.Bytes-before)) // statistics of servers lag behind
	return nil
}

// target returns the size to reach: 2% less than the maximum size, so that not every batch
// exceeds the maximum.
func (p *pruner) target() int64 { return p.policy.MaxBytes - p.policy.MaxBytes/50 }

// scan applies a rule to all revisions in the order of their row IDs, until they are too
// young.
func (p *pruner) scan(ctx context.Context, r rule) error {
	first, last, found, err := model.RevisionBounds(ctx, p.db)
	if err != nil {
		return err
	}
	remove, strip := r.bounds()
	shrinking := p.goal > 0
	for from := first; from <= last && found; from += int64(p.span) {
		some, err := model.Candidates(ctx, p.db, from, from+int64(p.span), remove, strip)
		if err != nil {
			return err
		}
		if len(some) == 0 {
			if young, err := p.young(ctx, from, max(remove, strip)); err != nil || young {
				return err
			}
		}
		for len(some) > 0 {
			n := min(p.rows, len(some))
			if err := p.step(ctx, some[:n], r); err != nil {
				return err
			}
			if some = some[n:]; shrinking && p.goal <= 0 {
				return nil
			}
		}
	}
	return nil
}

// young reports whether all revisions of a span were seen after a time. Later spans are
// usually younger still, except for batches that were spilled for a long time. These are
// found when their span is older.
func (p *pruner) young(ctx context.Context, from, than int64) (bool, error) {
	oldest, found, err := model.OldestSeen(ctx, p.db, from, from+int64(p.span))
	return found && oldest > than, err
}

// step applies a rule to some revisions in one transaction, and pauses.
func (p *pruner) step(ctx context.Context, some []model.Candidate, r rule) error {
	done, took, err := p.try(ctx, some, r)
	if err != nil {
		return err
	}
	p.result.add(done)
	if err := p.approach(ctx, done.Bytes); err != nil {
		return err
	}
	if p.preview || done.empty() {
		return nil
	}
	switch {
	case p.steady:
	case took > 2*stepTime:
		p.rows = max(10, p.rows/2)
	case took < stepTime/2 && len(some) == p.rows:
		p.rows = min(2000, 2*p.rows)
	}
	return p.pauseAfter(ctx, took)
}

// approach updates the goal after a step has removed some bytes.
func (p *pruner) approach(ctx context.Context, bytes int64) error {
	if p.goal <= 0 || !p.result.Size.Exact {
		p.goal -= bytes
		return nil
	}
	size, err := p.db.Size(ctx)
	p.goal = size.History() - p.target()
	return err
}

// try runs a step, and retries it after an error, because databases abort one of two
// deadlocked transactions.
func (p *pruner) try(ctx context.Context, some []model.Candidate, r rule) (done Result, took time.Duration, err error) {
	for range 5 {
		err = p.db.Transact(ctx, func(tx *sqldb.Tx) error {
			began := time.Now() // excludes the wait for the lock, which writers have used
			s := step{tx: tx, keepLast: p.policy.KeepLast, labels: p.policy.readsLabels(), rule: r, preview: p.preview, liveSince: math.MinInt64}
			if p.preview {
				s.liveSince = ago(p.now, p.policy.CursorIdle)
			}
			err := s.run(ctx, some)
			done, took = s.done, time.Since(began)
			return err
		})
		if err == nil || ctx.Err() != nil {
			return done, took, err
		}
		if waited := pause.For(ctx, 100*time.Millisecond); waited != nil {
			return Result{}, 0, waited
		}
	}
	return Result{}, 0, err
}
