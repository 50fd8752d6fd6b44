package record

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// coverageInterval is the interval at which coverage is stored while its end does not change. The
// stored time shows other recorders that this one still sees the scope.
const coverageInterval = 20 * time.Second

// coverer stores the coverage and the gaps of a plan, in the transaction of the batch. It
// starts with the coverage in the tracker. The tracker adopts the result after the commit.
type coverer struct {
	tx       *sqldb.Tx
	scope    model.Scope
	recorder string
	now      time.Time
	coverage model.Coverage
}

// update stores the coverage of a plan. endsGap reports whether the plan may end a lasting
// gap.
func (c *coverer) update(ctx context.Context, t *tracker, p *plan, endsGap bool) error {
	if !p.extendsCoverage(t) && len(p.lists) == 0 {
		return nil
	}
	ended, err := false, error(nil)
	if endsGap && p.extendsCoverage(t) {
		if ended, err = c.endGap(ctx, p); err != nil {
			return err
		}
	}
	end, endAt, covered, restored := t.end, t.endAt, t.covered, p.base > t.endBase
	for _, l := range p.lists {
		// A list begins new coverage. Earlier events of the watch belong to the previous
		// coverage. No recorder saw the changes between the two.
		if covered && l.before > end {
			if err := c.extend(ctx, end, l.before, t.endBase); err != nil {
				return err
			}
			end, endAt = l.before, c.now
		}
		if l.version == 0 {
			return nil // the list is incomplete
		}
		if covered && l.version > end && !ended {
			gap := model.Gap{Cause: model.CauseWindow, From: end, To: l.version, FromAt: endAt, ToAt: c.now}
			if restored {
				gap.Cause = model.CauseRestored
				gap.Detail = fmt.Sprintf("the server lost the versions from %v to %v; versions of the history are larger by %v than those of the server now", l.version-p.base, end-t.endBase, p.base)
			}
			if err := model.InsertGap(ctx, c.tx, c.scope, c.recorder, gap); err != nil {
				return err
			}
		}
		if restored {
			if err := model.EndCoverage(ctx, c.tx, c.scope, p.base, c.now); err != nil {
				return err
			}
		}
		if c.coverage, err = model.BeginCoverage(ctx, c.tx, c.scope, c.recorder, l.version, p.base, c.now); err != nil {
			return err
		}
		end, endAt, covered, ended, restored = l.version, c.now, true, false, false
	}
	return c.extend(ctx, end, p.reached, p.base)
}

// endGap ends the lasting gap of this recorder, if any, and marks unknown objects as
// present. A resumed watch missed nothing; a list may have missed changes.
func (c *coverer) endGap(ctx context.Context, p *plan) (ended bool, err error) {
	healed := p.complete == 0
	if ended, err = model.EndGap(ctx, c.tx, c.scope, c.recorder, p.reached, healed, c.now); err != nil {
		return false, err
	}
	return ended, jobstatus.SetPresence(ctx, c.tx, c.scope, model.Unknown, model.Present)
}

// extend moves the end of the coverage and heals the gaps that it closes. After a start, it
// continues the coverage that ends where the watch resumed, or begins new coverage there.
func (c *coverer) extend(ctx context.Context, from, to, base wire.Version) (err error) {
	if c.coverage.ID == 0 {
		if c.coverage, err = model.ContinueCoverage(ctx, c.tx, c.scope, c.recorder, from, base, c.now); err != nil {
			return err
		}
	}
	if to < c.coverage.To || to == c.coverage.To && c.now.Sub(c.coverage.At).Abs() < coverageInterval {
		return nil
	}
	if err := model.ExtendCoverage(ctx, c.tx, &c.coverage, to, c.now); err != nil {
		return err
	}
	return model.HealGaps(ctx, c.tx, c.scope, c.coverage.From, to, c.now)
}
