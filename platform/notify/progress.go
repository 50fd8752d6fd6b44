package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/wire"
)

// Progress finds signals of progress that are not in the database, such as lines of logs.
// Any goroutine may call it.
type Progress interface {
	// Last returns the time of the last progress of a signal, or the zero time if it is
	// unknown.
	Last(ctx context.Context, object history.Object, signal rule.Signal) (time.Time, error)
}

// maxRevisions is the maximum number of revisions of an object that one check for progress
// reads.
const maxRevisions = 200

// lastProgress returns the time of the last change of any of some signals of an object,
// and the signal. It reads the revisions since a time; if none of them changed a signal,
// it returns the zero time. known is false if no signal is present.
func lastProgress(ctx context.Context, h *history.History, p Progress, o *history.Object, signals []rule.Signal, since time.Time) (at time.Time, which rule.Signal, known bool, err error) {
	var recorded []rule.Signal
	for _, s := range signals {
		switch {
		case s.Kind != rule.Log:
			recorded = append(recorded, s)
		case p != nil:
			last, err := p.Last(ctx, *o, s)
			if err != nil {
				return at, which, false, err
			}
			if known = known || !last.IsZero(); last.After(at) {
				at, which = last, s
			}
		}
	}
	if len(recorded) == 0 {
		return at, which, known, nil
	}
	changed, signal, err := lastChange(ctx, h, o.ID, recorded, since)
	if which == (rule.Signal{}) || changed.After(at) {
		at, which = changed, signal
	}
	return at, which, true, err
}

// lastChange returns the time of the last change of a signal in the recorded revisions
// since a time, or the zero time if there was no change.
func lastChange(ctx context.Context, h *history.History, object int64, signals []rule.Signal, since time.Time) (time.Time, rule.Signal, error) {
	values := make([]string, len(signals))
	var newer history.Revision
	read := 0
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return h.Revisions(ctx, object, p)
	}
	for r, err := range history.All(ctx, history.Paging{}, list) {
		if err != nil {
			return time.Time{}, signals[0], err
		}
		job, err := bodyAt(ctx, h, object, r.Version)
		if errors.Is(err, history.ErrNoBody) || errors.Is(err, history.ErrUnknown) || read >= maxRevisions {
			break
		}
		if err != nil {
			return time.Time{}, signals[0], err
		}
		for i, s := range signals {
			value := signalOf(job, s)
			if read > 0 && value != values[i] {
				return newer.Seen, s, nil
			}
			values[i] = value
		}
		if read++; r.Seen.Before(since) {
			break
		}
		newer = r
	}
	return time.Time{}, signals[0], nil
}

// bodyAt reads an object at a version; 0 means the last one.
func bodyAt(ctx context.Context, h *history.History, object int64, version wire.Version) (*job.Spec, error) {
	text, _, err := h.Body(ctx, object, version)
	if err != nil {
		return nil, err
	}
	j := job.ParseSpec(text)
	if j.Object() == nil {
		return nil, fmt.Errorf("the recorded body of object %d at version %v is not a JSON object", object, version)
	}
	return &j, nil
}
