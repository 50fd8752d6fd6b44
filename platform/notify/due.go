package notify

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// recheckRecording is the interval of checks of a timer whose object is not recorded now. That
// the state still lasts would follow from missing data, so the timer does not fire.
const recheckRecording = 10 * time.Second

// due handles the timers that are due.
type due struct {
	db      *sqldb.DB
	matcher *matcher
	timers  *timers
}

// check adds the results of the due timers to a round.
func (d *due) check(ctx context.Context, r *round, o *owners) error {
	all, err := delivery.DueTimers(ctx, d.db, r.now, r.setup.timerIDs, timersAtOnce)
	if err != nil || len(all) == 0 {
		return d.db.Explain(err)
	}
	objects, labels, err := d.objects(ctx, all)
	if err != nil {
		return err
	}
	fresh, err := d.timers.history.Freshness(ctx, r.now)
	if err != nil {
		return err
	}
	var missing *history.Freshness
	for i := range all {
		if o := objects[all[i].Object]; o != nil {
			if f := history.NotCurrent(fresh, o.ClusterUID, o.Type, o.Namespace, r.now); f != nil {
				missing = f
				all[i].Due = r.now.Add(recheckRecording)
				r.moved = append(r.moved, all[i])
				continue
			}
		}
		if err := d.one(ctx, r, o, &all[i], objects[all[i].Object], labels[all[i].Object]); err != nil {
			return err
		}
	}
	d.report(missing, r.now)
	return nil
}

// report logs that timers wait for data, once for each time without a recorder.
func (d *due) report(missing *history.Freshness, now time.Time) {
	if missing != nil {
		key := "recording " + missing.Cluster
		if missing.Recording(now) == history.Stale {
			key += missing.Renewed.String()
		}
		d.matcher.once.log(key, "timers wait: no recorder confirms the state of their jobs; check the recorders", "cluster", missing.Cluster, "type", missing.Type.String(), "since", missing.Committed.UTC().Format(time.RFC3339))
	}
}

// one adds the result of one timer.
func (d *due) one(ctx context.Context, r *round, o *owners, t *delivery.Timer, object *history.Object, labels map[string]string) error {
	with := r.setup.rules[t.Rule]
	v, err := d.timers.judge(ctx, with, t, object, labels, r.now)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // one damaged object must not stop the others
		d.matcher.once.log("timer", "a timer cannot be evaluated; the planner retries it in a minute", "rule", t.Rule, "object", t.Object, "err", faultlog.Text(err))
		v = verdict{again: r.now.Add(recheck)}
	}
	if v.fires {
		// The rule may select other jobs since the timer was set.
		in := inputOf(&v.start, "")
		in.Existing = false
		names, err := o.of(ctx, &v.start.Object)
		if err := d.matcher.tolerate(ctx, &v.start, err); err != nil {
			return err
		}
		in.Object.Owner = first(names)
		matches, err := with.Matches(&in)
		if err != nil {
			d.matcher.failed(with, err)
		}
		if !matches {
			r.removed = append(r.removed, *t)
			return nil
		}
		if err := d.fire(ctx, r, t, &v, names); err != nil {
			return err
		}
		t.Fired, v.again = true, r.now.Add(afterFired)
	}
	if v.again.IsZero() {
		r.removed = append(r.removed, *t)
		return nil
	}
	t.Due = v.again
	r.moved = append(r.moved, *t)
	return nil
}

// fire adds the messages of a timer.
func (d *due) fire(ctx context.Context, r *round, t *delivery.Timer, v *verdict, names []string) error {
	with := r.setup.rules[t.Rule]
	var all []*want
	for _, to := range d.matcher.route(r.setup, with, with.To, namedBy(&v.start.Object, names)) {
		all = append(all, &want{subject: timerSubject(with, &v.start).key(with.ID()), rule: with, to: to, object: t.Object})
	}
	if len(all) == 0 {
		return nil
	}
	r.fired++
	r.wants = append(r.wants, all...)
	return d.matcher.describe(ctx, all, &v.start, v.notice(with, t, first(names), r.now))
}

// objects reads the objects of timers, with their labels.
func (d *due) objects(ctx context.Context, all []delivery.Timer) (map[int64]*history.Object, map[int64]map[string]string, error) {
	var ids []int64
	for i := range all {
		ids = append(ids, all[i].Object)
	}
	return objectsOf(ctx, d.timers.history, ids)
}

// objectsOf reads objects by their row IDs, with their labels.
func objectsOf(ctx context.Context, h *history.History, ids []int64) (map[int64]*history.Object, map[int64]map[string]string, error) {
	found, err := h.ObjectsByID(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	objects := map[int64]*history.Object{}
	for i := range found {
		objects[found[i].ID] = &found[i]
	}
	labels, err := h.Labels(ctx, ids)
	return objects, labels, err
}
