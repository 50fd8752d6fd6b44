package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// QueueStats holds the completed waiting and running times of the objects of one queue.
type QueueStats struct {
	// Waiting covers the time from the first transition of an object until its first run,
	// if that run began in the period.
	Waiting Spread
	// Running covers the total running time of an object, if the object ended in the
	// period.
	Running Spread
}

// queueStats returns statistics by queue.
func queueStats(ctx context.Context, db *sqldb.DB, f Filter, now time.Time) (map[string]QueueStats, error) {
	if f.Until.IsZero() || f.Until.After(now) {
		f.Until = now
	}
	f.States = nil
	s, err := f.resolve(ctx, db)
	if err != nil || s.nothing {
		return nil, err
	}
	waiting, running := map[string]*sample{}, map[string]*sample{}
	for after := int64(0); ; {
		lives, err := readLives(ctx, db, s, after)
		if err != nil {
			return nil, err
		}
		if len(lives) == 0 {
			break
		}
		for _, l := range lives {
			l.cutAt(f.Until)
			if waited, ok := l.waited(f.Since); ok {
				addTo(waiting, l.object.Queue, waited)
			}
			if ran, ok := l.ran(f.Since); ok {
				addTo(running, l.object.Queue, ran)
			}
		}
		after = lives[len(lives)-1].object.ID
	}
	all := map[string]QueueStats{}
	for queue, s := range waiting {
		all[queue] = QueueStats{Waiting: s.spread()}
	}
	for queue, s := range running {
		one := all[queue]
		one.Running = s.spread()
		all[queue] = one
	}
	return all, nil
}

func addTo(samples map[string]*sample, queue string, d time.Duration) {
	if samples[queue] == nil {
		samples[queue] = &sample{}
	}
	samples[queue].add(d, false)
}

// waited returns the time from the first transition until the first run. It returns false
// if the object has not run, or if its first run began before since.
func (l *life) waited(since time.Time) (time.Duration, bool) {
	for _, s := range l.stays {
		if s.state == string(job.Running) {
			return s.began.Sub(l.stays[0].began), !s.began.Before(since)
		}
	}
	return 0, false
}

// ran returns the total running time of an object. It returns false if the object has not
// ended, ended before since, or never ran.
func (l *life) ran(since time.Time) (total time.Duration, ended bool) {
	for i, s := range l.stays {
		switch {
		case job.State(s.state).Final():
			return total, total > 0 && !s.began.Before(since)
		case s.state == string(job.Running) && i+1 < len(l.stays):
			total += l.stays[i+1].began.Sub(s.began)
		}
	}
	return 0, false
}
