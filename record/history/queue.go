package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// queueWaits returns how long the objects of each queue waited until they ran first.
func queueWaits(ctx context.Context, db *sqldb.DB, f Filter, now time.Time) (map[string]Spread, error) {
	if f.Until.IsZero() || f.Until.After(now) {
		f.Until = now
	}
	f.States = nil
	s, err := f.resolve(ctx, db)
	if err != nil || s.nothing {
		return nil, err
	}
	samples := map[string]*sample{}
	for after := int64(0); ; {
		lives, err := readLives(ctx, db, s, after)
		if err != nil {
			return nil, err
		}
		if len(lives) == 0 {
			break
		}
		for _, l := range lives {
			waited, ok := l.waited(f.Since, f.Until)
			if !ok {
				continue
			}
			if samples[l.object.Queue] == nil {
				samples[l.object.Queue] = &sample{}
			}
			samples[l.object.Queue].add(waited, false)
		}
		after = lives[len(lives)-1].object.ID
	}
	spreads := map[string]Spread{}
	for queue, s := range samples {
		spreads[queue] = s.spread()
	}
	return spreads, nil
}

// waited returns the time from the first transition until the object ran first. It is false
// unless the object ran first within a period.
func (l *life) waited(since, until time.Time) (time.Duration, bool) {
	for _, s := range l.stays {
		if s.state == string(state.Running) {
			return s.began.Sub(l.stays[0].began), !s.began.Before(since) && s.began.Before(until)
		}
	}
	return 0, false
}
