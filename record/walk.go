package record

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// ground is a list that is searched. Its order is that of a time, and of the numbers
// of rows where times are the same.
type ground struct {
	table   string // with the name that columns use
	joins   string // what columns and conditions need beside it
	columns string // what is read
	at, id  string // columns of the order
	object  string // column with the number of the object
	state   string
	byState string // index of state, at, id
	byTime  string // index of at, id; without one, all states are looked through
}

// How much one request may do: it looks at so many rows, about, and then says where
// to go on. On a slow core with SQLite that takes some 30 ms.
const (
	mostRows  = 6000
	mostMarks = 400
	perMark   = 5 // transitions that an object has, about
)

// walk goes through a list, to both sides of its order.
type walk struct {
	d         *Database
	g         *ground
	s         *search
	forward   bool     // the oldest first
	low, high position // what is left lies between
	ended     bool
	left      int // rows that may be looked at
	chunk     int // of them in the next step
}

// find returns a page of a list. read reads the columns of a row.
func find[T any](ctx context.Context, d *Database, g *ground, f Filter, p Paging, read func(*sql.Rows) (T, position, error)) (page Page[T], err error) {
	at, begin, err := p.position()
	if err != nil {
		return page, err
	}
	s, err := d.search(ctx, f)
	if err != nil || s.nothing {
		return page, err
	}
	w := &walk{d: d, g: g, s: s, forward: p.OldestFirst, low: position{s.from, 0}, high: position{s.to, 0}, left: mostRows, chunk: 4 * p.limit()}
	if !begin {
		w.reach(at)
	}
	type item struct {
		position
		value T
	}
	var items []item
	for len(items) <= p.limit() && !w.ended && w.left > 0 {
		var found []item
		err := w.step(ctx, p.limit()+1-len(items), func(rows *sql.Rows) error {
			value, at, err := read(rows)
			found = append(found, item{at, value})
			return err
		})
		if err != nil {
			return page, err
		}
		slices.SortFunc(found, func(x, y item) int {
			if x.before(y.position) == w.forward {
				return -1
			}
			return 1
		})
		items = append(items, found...)
	}
	if len(items) > p.limit() {
		items = items[:p.limit()]
		page.Next = p.cursor(items[len(items)-1].position)
	} else if !w.ended {
		page.Next = p.cursor(w.near())
	}
	for _, i := range items {
		page.Items = append(page.Items, i.value)
	}
	return page, nil
}

// near is the end that the walk goes away from.
func (w *walk) near() position {
	if w.forward {
		return w.low
	}
	return w.high
}

// reach says that all up to a position is done.
func (w *walk) reach(at position) {
	if w.forward {
		w.low = at
	} else {
		w.high = at
	}
	w.ended = w.ended || !w.low.before(w.high)
}

// further reports whether, as the walk goes, x lies behind y.
func (w *walk) further(x, y position) bool {
	if w.forward {
		return y.before(x)
	}
	return x.before(y)
}

// step goes one step. It finds, in any order, all between the place where the walk
// was and that where it is then; or the first of them, as many as are wanted.
//
// There are two ways: to look at all rows, as many as may be, or at those of the objects
// that marks name. The one that leads further is taken.
func (w *walk) step(ctx context.Context, want int, found func(*sql.Rows) error) error {
	if len(w.s.terms) == 0 { // all rows are wanted
		w.ended = true // or there are enough
		return w.look(ctx, w.low, w.high, want, found)
	}
	m, err := w.marked(ctx)
	if err != nil || w.ended {
		return err
	}
	low, high, end := w.low, w.high, m.reach
	if !m.whole {
		met, err := w.ahead(ctx)
		if err != nil {
			return err
		}
		if !w.further(m.reach, met) {
			m.objects, end = nil, met
		}
	}
	if w.reach(end); w.forward {
		high = earlier(position{end.at, end.id + 1}, high)
	} else {
		low = later(position{end.at, end.id - 1}, low)
	}
	if m.objects != nil {
		w.left -= perMark*len(m.objects) + mostMarks/4
		return w.lookAt(ctx, m.objects, low, high, want, found)
	}
	w.left -= w.chunk
	w.chunk = min(2*w.chunk, mostRows/2)
	return w.look(ctx, low, high, want, found)
}

func earlier(x, y position) position {
	if x.before(y) {
		return x
	}
	return y
}

func later(x, y position) position {
	if x.before(y) {
		return y
	}
	return x
}

// marked is what marks say of what lies ahead.
type marked struct {
	objects []int64  // that have changed their states between here and reach
	reach   position // here, if they are too many
	whole   bool     // reach is the end
}

// marked asks for the marks of all terms, and returns those that lead furthest. Where
// one term has none for a while, it goes ahead to where all have some.
func (w *walk) marked(ctx context.Context) (best marked, err error) {
	type entry struct{ hour, object int64 }
	type some struct {
		marks []entry
		last  int64 // hour up to which they are complete
		whole bool
	}
	var all []some
	for _, alternatives := range w.s.terms {
		found := some{whole: true}
		for _, t := range alternatives {
			rows, err := w.d.db.QueryContext(ctx, w.d.dialect.query("SELECT hour, object_id FROM marks WHERE term = ? AND hour >= ? AND hour <= ? ORDER BY hour"+w.order()+
				", object_id"+w.order()+" LIMIT ?"), int64(t), hourOf(w.low.at), hourOf(w.high.at), mostMarks+1)
			if err != nil {
				return best, err
			}
			n, last := 0, int64(0)
			err = each(rows, func() error {
				var e entry
				err := rows.Scan(&e.hour, &e.object)
				found.marks, last = append(found.marks, e), e.hour
				n++
				return err
			})
			if err != nil {
				return best, err
			}
			if n > mostMarks { // of the last hour some are missing
				last += map[bool]int64{true: -1, false: 1}[w.forward]
				if found.whole || (last < found.last) == w.forward {
					found.last = last
				}
				found.whole = false
			}
		}
		if len(found.marks) == 0 {
			w.ended = true
			return best, nil
		}
		all = append(all, found)
	}
	for _, one := range all {
		next := one.marks[0].hour
		for _, e := range one.marks {
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
		for _, e := range one.marks {
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

// skip goes ahead to an hour.
func (w *walk) skip(to int64) {
	if w.forward {
		w.reach(later(w.low, position{to * hour, 0}))
	} else {
		w.reach(earlier(w.high, position{(to + 1) * hour, 0}))
	}
}

func (w *walk) order() string {
	if w.forward {
		return ""
	}
	return " DESC"
}

// between is the condition that a row lies between two positions, both not among them.
func (w *walk) between(at, id string, low, high position) (condition string, args []any) {
	if w.d.dialect == mysql { // which looks through all for a condition with rows
		condition = at + " >= ? AND " + at + " <= ? AND (" + at + " > ? OR " + id + " > ?) AND (" + at + " < ? OR " + id + " < ?)"
		return condition, []any{low.at, high.at, low.at, low.id, high.at, high.id}
	}
	condition = "(" + at + ", " + id + ") > (?, ?) AND (" + at + ", " + id + ") < (?, ?)"
	return condition, []any{low.at, low.id, high.at, high.id}
}

// lanes are the states that are looked through one after the other, as they are in
// the index; "" in words stands for all at once.
type lane struct {
	index, condition string
	args             []any
}

func (w *walk) lanes() (all []lane) {
	wanted := w.s.states
	if wanted == nil && w.g.byTime != "" {
		return []lane{{index: w.g.byTime}}
	}
	if wanted == nil {
		wanted = states
	}
	for _, st := range wanted {
		all = append(all, lane{w.g.byState, w.g.state + " = ? AND ", []any{st}})
	}
	return all
}

// ahead returns where the walk gets by looking at a chunk of rows.
func (w *walk) ahead(ctx context.Context) (position, error) {
	at, back := w.low, " DESC"
	if w.forward {
		at = w.high
	} else {
		back = ""
	}
	between, args := w.between(w.g.at, w.g.id, w.low, w.high)
	for _, l := range w.lanes() {
		row := w.d.db.QueryRowContext(ctx, w.d.dialect.query("SELECT y, n FROM (SELECT "+w.g.at+" AS y, "+w.g.id+" AS n FROM "+w.g.table+w.d.dialect.use(l.index)+
			" WHERE "+l.condition+between+" ORDER BY "+w.g.at+w.order()+", "+w.g.id+w.order()+" LIMIT ?) x ORDER BY y"+back+", n"+back+" LIMIT 1"),
			slices.Concat(l.args, args, []any{w.chunk})...)
		var p position
		if err := row.Scan(&p.at, &p.id); errors.Is(err, sql.ErrNoRows) {
			continue
		} else if err != nil {
			return p, err
		}
		if w.further(at, p) {
			at = p
		}
	}
	return at, nil
}

// look looks at all rows between two positions.
func (w *walk) look(ctx context.Context, low, high position, want int, found func(*sql.Rows) error) error {
	between, args := w.between(w.g.at, w.g.id, low, high)
	for _, l := range w.lanes() {
		conditions := append([]string{l.condition + between}, w.s.conditions...)
		rows, err := w.d.db.QueryContext(ctx, w.d.dialect.query("SELECT "+w.g.columns+" FROM "+w.g.table+w.d.dialect.use(l.index)+w.d.dialect.beside(w.g.joins)+
			" WHERE "+strings.Join(conditions, " AND ")+" ORDER BY "+w.g.at+w.order()+", "+w.g.id+w.order()+" LIMIT ?"), slices.Concat(l.args, args, w.s.args, []any{want})...)
		if err != nil {
			return err
		}
		if err := each(rows, func() error { return found(rows) }); err != nil {
			return err
		}
	}
	return nil
}

// lookAt looks at the rows of objects. The sign before a column keeps databases from
// taking its index.
func (w *walk) lookAt(ctx context.Context, objects []int64, low, high position, want int, found func(*sql.Rows) error) error {
	between, args := w.between("+"+w.g.at, "+"+w.g.id, low, high)
	conditions := append([]string{w.g.object + " IN " + numbers(objects), between}, w.s.conditions...)
	args = append(args, w.s.args...)
	if w.s.states != nil {
		conditions = append(conditions, w.g.state+" IN "+list(len(w.s.states)))
		for _, st := range w.s.states {
			args = append(args, st)
		}
	}
	rows, err := w.d.db.QueryContext(ctx, w.d.dialect.query("SELECT "+w.g.columns+" FROM "+w.g.table+w.d.dialect.beside(w.g.joins)+
		" WHERE "+strings.Join(conditions, " AND ")+" ORDER BY +"+w.g.at+w.order()+", +"+w.g.id+w.order()+" LIMIT ?"), append(args, want)...)
	if err != nil {
		return err
	}
	return each(rows, func() error { return found(rows) })
}
