package record

import (
	"context"
	"database/sql"
	"slices"
)

// marked is what marks say of what lies ahead.
type marked struct {
	objects []int64  // that have changed their states between here and reach
	reach   position // here, if they are too many
	whole   bool     // reach is the end
}

// marked asks for the marks of all terms, and returns those that lead furthest. Where
// one term has none for a while, it goes ahead to where all have some.
func (w *walk) marked(ctx context.Context) (best marked, err error) {
	var all []marks
	for _, alternatives := range w.s.terms {
		found := marks{whole: true}
		for _, t := range alternatives {
			if err := w.read(ctx, t, &found); err != nil {
				return best, err
			}
		}
		if len(found.all) == 0 {
			w.ended = true
			return best, nil
		}
		all = append(all, found)
	}
	for _, one := range all {
		next := one.all[0].hour
		for _, e := range one.all {
			if (e.hour < next) == w.forward {
				next = e.hour
			}
		}
		w.skip(next)
	}
	if w.ended {
		return best, nil
	}
	best.reach = w.near()
	for _, one := range all {
		m := marked{whole: one.whole}
		switch {
		case one.whole && w.forward:
			m.reach = w.high
		case one.whole:
			m.reach = w.low
		case w.forward:
			m.reach = earlier(w.high, position{(one.last + 1) * hour, 0})
		default:
			m.reach = later(w.low, position{one.last * hour, 0})
		}
		for _, e := range one.all {
			if e.hour >= hourOf(w.low.at) && e.hour <= hourOf(w.high.at) && (one.whole || (e.hour <= one.last) == w.forward || e.hour == one.last) {
				m.objects = append(m.objects, e.object)
			}
		}
		slices.Sort(m.objects)
		m.objects = slices.Compact(m.objects)
		switch {
		case one.whole && len(m.objects) == 0:
			w.ended = true
			return best, nil
		case len(m.objects) == 0:
		case w.further(m.reach, best.reach), m.reach == best.reach && best.objects != nil && len(m.objects) < len(best.objects):
			best = m
		}
	}
	return best, nil
}

// marks are those of a term, or of several.
type marks struct {
	all   []mark
	last  int64 // hour up to which they are complete
	whole bool  // there are no others
}

type mark struct{ hour, object int64 }

// read adds the marks of a term, as many as may be.
func (w *walk) read(ctx context.Context, t term, into *marks) error {
	n, last := 0, int64(0)
	err := w.d.rows(ctx, "SELECT hour, object_id FROM marks WHERE term = ? AND hour >= ? AND hour <= ? ORDER BY hour"+w.order()+", object_id"+w.order()+" LIMIT ?",
		[]any{int64(t), hourOf(w.low.at), hourOf(w.high.at), mostMarks + 1}, func(rows *sql.Rows) error {
			var m mark
			err := rows.Scan(&m.hour, &m.object)
			into.all, last = append(into.all, m), m.hour
			n++
			return err
		})
	if err != nil || n <= mostMarks {
		return err
	}
	if last++; w.forward { // of the last hour some are missing
		last -= 2
	}
	if into.whole || (last < into.last) == w.forward {
		into.last = last
	}
	into.whole = false
	return nil
}

// skip goes ahead to an hour.
func (w *walk) skip(to int64) {
	if w.forward {
		w.reach(later(w.low, position{to * hour, 0}))
	} else {
		w.reach(earlier(w.high, position{(to + 1) * hour, 0}))
	}
}
