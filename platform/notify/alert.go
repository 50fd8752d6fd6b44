package notify

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// alerts decides which alerts wait because no recorder confirms the state of their jobs.
type alerts struct {
	db      *sqldb.DB
	history *history.History
}

// check reads the freshness of the history if the round has alerts, and finds the held alerts
// that are due and wait longer.
func (a *alerts) check(ctx context.Context, r *round) error {
	var due map[int64]int64
	if r.tick && len(r.setup.alerting) > 0 {
		var err error
		if due, err = delivery.DueHeld(ctx, a.db, slices.Sorted(maps.Keys(r.setup.alerting)), r.now); err != nil {
			return a.db.Explain(err)
		}
	}
	if len(due) == 0 && !r.alerts() {
		return nil
	}
	var err error
	if r.fresh, err = a.history.Freshness(ctx, r.now); err != nil || len(due) == 0 {
		return err
	}
	objects, _, err := objectsOf(ctx, a.history, slices.Collect(maps.Values(due)))
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(due)) {
		o := objects[due[id]]
		if o != nil && history.NotCurrent(r.fresh, o.ClusterUID, o.Type, o.Namespace, r.now) != nil {
			r.postponed = append(r.postponed, id)
		}
	}
	return nil
}

// alerts reports whether the round has messages to channels with alerts.
func (r *round) alerts() bool {
	alerts := func(w *want) bool { return r.setup.alerting[w.to.Channel] }
	return slices.ContainsFunc(r.wants, alerts) || slices.ContainsFunc(r.escalations, func(e escalation) bool { return slices.ContainsFunc(e.wants, alerts) })
}

// unconfirmed reports whether a message is an alert about a job whose state no recorder
// confirms. A message that closes an alert is not.
func (r *round) unconfirmed(w *want) bool {
	if w.about == nil || !r.setup.alerting[w.to.Channel] {
		return false
	}
	of := history.Type{Group: w.about.Object.Type.Group, Resource: w.about.Object.Type.Resource}
	return history.NotCurrent(r.fresh, w.notice.Job.ClusterUID, of, w.about.Object.Namespace, r.now) != nil
}
