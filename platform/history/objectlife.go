package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// ObjectLife is the life of an object of any type, with its outcome.
type ObjectLife struct {
	JobLife
	// Outcome is the last final state of the object except Deleted. It is empty if there is
	// none. Ended is the time when the object ended or was deleted. It is zero if neither
	// is known.
	Outcome job.State
	Ended   time.Time
}

// livesOf returns the lives of objects by their IDs, with spans for the gaps of their
// types.
func livesOf(ctx context.Context, db *sqldb.DB, objects []Object, now time.Time) (map[int64]ObjectLife, error) {
	all := make(map[int64]ObjectLife, len(objects))
	if len(objects) == 0 {
		return all, nil
	}
	d := &detailer{db: db, byID: map[int64]*Job{}, now: now, jobs: make([]Job, len(objects))}
	entries := map[int64][]Entry{}
	for i := range objects {
		d.jobs[i] = jobOf(&objects[i])
		d.byID[objects[i].ID] = &d.jobs[i]
		d.ids = append(d.ids, objects[i].ID)
	}
	err := model.EachEntry(ctx, db, d.ids, func(object int64, to string, at int64) {
		entries[object] = append(entries[object], Entry{To: job.State(to), At: model.Time(at)})
	})
	if err != nil {
		return nil, err
	}
	for i := range d.jobs {
		j := &d.jobs[i]
		l := ObjectLife{Ended: j.Deleted}
		for _, e := range entries[j.ID] {
			switch {
			case !e.To.Final():
				l.Outcome, l.Ended = "", j.Deleted
			case e.To != job.Deleted:
				l.Outcome, l.Ended = e.To, e.At
			case l.Outcome == "":
				l.Ended = e.At
			}
		}
		end := now
		if j.Presence == Unknown {
			end = j.Since // later states are unknown
		}
		if !j.Deleted.IsZero() {
			end = j.Deleted
		}
		l.JobLife = LifeOf(j.Submitted, entries[j.ID], end)
		j.Life = l.Spans
		all[j.ID] = l
	}
	if err := d.gaps(ctx); err != nil {
		return nil, err
	}
	for i := range d.jobs {
		l := all[d.jobs[i].ID]
		l.Spans = d.jobs[i].Life
		all[d.jobs[i].ID] = l
	}
	return all, nil
}
