package record

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// monitor watches the health of a reflector. It logs faults, and begins a lasting gap when
// the recorder can no longer see the scope.
type monitor struct {
	db        *sqldb.DB
	scope     model.Scope
	recorder  string
	lease     *shard.Lease // nil: the target is not shared
	feed      *feed.Sequencer
	reflector *reflector.Reflector
	interval  time.Duration
	resume    wire.Version // version at which the reflector began
	base      wire.Version // base of the versions
	caughtUp  func() bool  // reports whether all received deltas are written
	begun     *atomic.Int64
	log       *slog.Logger
	fault     *faultlog.Reporter // reports faults of the reflector
	health    *targetHealth

	order   delta.Order // logged
	invalid uint64      // number of unusable objects logged so far
	gapAt   time.Time   // time of the last attempt to begin a gap; zero: the scope is visible
}

// coverageTimeout is the age at which the coverage of another recorder no longer proves
// that the scope is visible. Servers send bookmarks about every minute.
const coverageTimeout = 3 * time.Minute

// gapInterval is the interval at which the monitor records that a scope is still invisible.
// Another recorder may have seen the scope in between.
const gapInterval = time.Minute

// run monitors the reflector until ctx ends.
func (m *monitor) run(ctx context.Context) {
	tick := time.NewTicker(m.interval)
	defer tick.Stop()
	for {
		h, changed := m.reflector.Health()
		m.logFaults(&h)
		if err := m.recordGap(ctx, &h); err != nil && ctx.Err() == nil {
			m.log.Error("cannot record a gap; will retry", "err", err)
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// logFaults logs the beginning, the change and the end of each fault, and each unusable
// object.
func (m *monitor) logFaults(h *reflector.Health) {
	if h.Invalid > m.invalid {
		m.log.Warn("skipped an unusable object; its recorded history is unchanged", "count", h.Invalid-m.invalid, "err", h.LastInvalid)
		m.invalid = h.Invalid
	}
	if h.Order != m.order {
		m.log.Warn("the server does not order resource versions, so the history of this type may lack revisions (gaps with the cause unordered)", "order", h.Order.String())
		m.order = h.Order
	}
	if h.Phase == reflector.Stopped {
		return
	}
	fault := faultlog.State{}
	if h.Err != nil {
		fault = faultlog.State{Kind: h.Fault.String(), Err: h.Err, Remedy: remedy(h.Err)}
	}
	fault.Attrs = []any{"version", h.Version}
	m.fault.See(fault)
}

// recordGap begins a lasting gap if the scope stays invisible until somebody acts. It first
// waits until all received deltas are written.
func (m *monitor) recordGap(ctx context.Context, h *reflector.Health) error {
	cause := causeOf(h.Fault)
	if cause == "" {
		m.gapAt = time.Time{}
		return nil
	}
	from := m.resume
	if h.Version > 0 {
		from = max(from, h.Version+m.base)
	}
	if from == 0 || !m.caughtUp() || time.Since(m.gapAt) < gapInterval {
		return nil
	}
	begun, err := m.beginGap(ctx, model.Gap{Cause: cause, From: from, FromAt: m.db.Now(), Detail: fmt.Sprint(h.Err)})
	if err != nil {
		return err
	}
	if m.gapAt = time.Now(); begun {
		m.health.recordedGap(cause)
	}
	m.begun.Add(1)
	m.feed.Wake() // a presence may decide the status of a job
	return nil
}

// beginGap begins a lasting gap, unless this recorder has begun one already. If no other
// recorder sees the scope, the presence of its objects becomes unknown. They do not become
// deleted, because no recorder saw a deletion.
func (m *monitor) beginGap(ctx context.Context, gap model.Gap) (begun bool, err error) {
	ctx, done := m.db.Bounded(ctx)
	defer done()
	err = m.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		if err := m.lease.Fence(ctx, tx); err != nil {
			return err
		}
		if begun, err = model.BeginGap(ctx, tx, m.scope, m.recorder, gap); err != nil {
			return err
		}
		at, err := model.LastCoveredByOthers(ctx, tx, m.scope, m.recorder)
		if err != nil || at > model.Micros(gap.FromAt.Add(-coverageTimeout)) {
			return err
		}
		return jobstatus.SetPresence(ctx, tx, m.scope, model.Present, model.Unknown)
	})
	return begun, err
}

// causeOf returns the cause of the gap for a fault that lasts until somebody acts. It
// returns "" for other faults.
func causeOf(f reflector.Fault) string {
	switch f {
	case reflector.Denied:
		return model.CauseDenied
	case reflector.Absent:
		return model.CauseAbsent
	default:
		return ""
	}
}
