package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// QueueStats holds the completed waiting and running times of the objects of one queue.
type QueueStats struct {
	// Waiting covers the time for which an object waited before its first run, if that run
	// began in the period.
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
	var v job.Life
	for after := int64(0); ; {
		lives, err := readLives(ctx, db, s, after)
		if err != nil {
			return nil, err
		}
		if len(lives) == 0 {
			break
		}
		for _, l := range lives {
			if _, ok := l.read(&v, f.Until); !ok {
				continue
			}
			if !v.Started.IsZero() && !v.Started.Before(f.Since) {
				addTo(waiting, l.object.Queue, v.FirstWait)
			}
			if v.Ran > 0 && !v.Open() && !v.Ended.Before(f.Since) {
				addTo(running, l.object.Queue, v.Ran)
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
