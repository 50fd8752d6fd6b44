package readapi

import (
	"context"
	"errors"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/wire"
)

// exactPast is the maximum number of objects of an answer that are read as of an instant. The
// others have their last bodies.
const exactPast = 500

// recordedOf is the records of some objects.
type recordedOf struct {
	objects []history.Object
	bodies  map[int64][]byte
	lives   map[int64]job.Life
}

// recordOf returns the records of some objects; with an instant, the records at the instant,
// without objects that did not exist yet.
//
// Errors: those of the database.
func recordOf(r *reader, ctx context.Context, objects []history.Object, at time.Time) (all recordedOf, err error) {
	if at.IsZero() {
		all.objects = objects
		if all.bodies, err = r.history.Bodies(ctx, objects); err != nil {
			return all, err
		}
		all.lives, err = r.history.Lives(ctx, objects, r.Now())
		return all, err
	}
	for _, o := range objects {
		if !began(&o).After(at) {
			all.objects = append(all.objects, o)
		}
	}
	if all.bodies, err = r.history.Bodies(ctx, all.objects); err != nil {
		return all, err
	}
	if all.lives, err = r.history.LivesAt(ctx, all.objects, at); err != nil {
		return all, err
	}
	for i := range all.objects {
		o := &all.objects[i]
		if i < exactPast && !settled(o, at) {
			if all.bodies[o.ID], err = bodyThen(r, ctx, o.ID, at); err != nil {
				return all, err
			}
		}
		if err := stateThen(r, ctx, o, all.lives[o.ID].Outcome, at); err != nil {
			return all, err
		}
	}
	return all, nil
}

// began returns when an object was created. API servers have whole seconds, so it may have
// been seen a little later.
func began(o *history.Object) time.Time {
	if o.Seen.After(o.Created) && o.Seen.Before(o.Created.Add(time.Second)) {
		return o.Seen
	}
	return o.Created
}

// settled reports whether an object had ended at an instant, so that its last body applies.
func settled(o *history.Object, at time.Time) bool {
	return job.State(o.State).Final() && !o.Since.After(at) && !o.Gone.After(at)
}

// stateThen sets the state of an object at an instant. outcome is its outcome then.
func stateThen(r *reader, ctx context.Context, o *history.Object, outcome job.State, at time.Time) error {
	if o.Gone.After(at) {
		o.Gone, o.Presence = time.Time{}, history.Present
	}
	if !o.Since.After(at) {
		return nil
	}
	o.State, o.Raw, o.Reason, o.Message = string(outcome), "", "", ""
	t, found, err := lastTransition(r, ctx, o.ID, at)
	if err == nil && found {
		o.State, o.Raw, o.Reason, o.Message, o.Since = t.To, t.ToRaw, t.Reason, t.Message, t.Happened
	}
	return err
}

// lastTransition returns the last transition of an object up to an instant.
func lastTransition(r *reader, ctx context.Context, object int64, at time.Time) (history.Transition, bool, error) {
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
		return r.history.Transitions(ctx, object, p)
	}
	for t, err := range history.All(ctx, history.Paging{Limit: 100, Order: history.NewestFirst}, list) {
		if err != nil || !t.Happened.After(at) {
			return t, err == nil, err
		}
	}
	return history.Transition{}, false, nil
}

// versionThen returns the version of an object at an instant; 0 if none was recorded. A
// revision counts from the time of its transition, because it is seen a little later.
func versionThen(r *reader, ctx context.Context, object int64, at time.Time) (wire.Version, error) {
	t, _, err := lastTransition(r, ctx, object, at)
	if err != nil {
		return 0, err
	}
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return r.history.Revisions(ctx, object, p)
	}
	for rev, err := range history.All(ctx, history.Paging{Limit: 100, Order: history.NewestFirst}, list) {
		if err != nil {
			return 0, err
		}
		if rev.Version <= t.Version || !rev.Seen.After(at) {
			return rev.Version, nil
		}
	}
	return 0, nil
}

// bodyThen returns the body of an object at an instant; nil if none is recorded.
func bodyThen(r *reader, ctx context.Context, object int64, at time.Time) ([]byte, error) {
	version, err := versionThen(r, ctx, object, at)
	if err != nil || version == 0 {
		return nil, err
	}
	text, _, err := r.history.Body(ctx, object, version)
	if errors.Is(err, history.ErrNoBody) || errors.Is(err, history.ErrUnknown) {
		return nil, nil
	}
	return text, err
}

// deliveryThen returns a delivery as it was at an instant. If it ended later, the number of tries
// at the instant is unknown.
func deliveryThen(d delivery.Delivery, at time.Time) delivery.Delivery {
	if d.State >= delivery.Sent && d.NextAt.After(at) || d.SentAt.After(at) {
		d.State, d.NextAt, d.SentAt, d.Attempts, d.Status, d.LastError = delivery.Waiting, time.Time{}, time.Time{}, 0, "", ""
	}
	if d.AckedAt.After(at) {
		d.AckedAt, d.AckedBy = time.Time{}, ""
	}
	return d
}
