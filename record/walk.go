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
	objects string // joins the row o of objects, which conditions need
	names   string // joins what columns need beside it
	columns string // what is read
	at, id  string // columns of the order
	object  string // column with the number of the object
	state   string
	byState string // index of state, at, id
	byTime  string // index of at, id; without one, all states are looked through
}

// How much one request may do: it looks at so many rows, about, and then says where
// to go on. On a slow core with SQLite that takes some 30 ms. Tests take less.
var (
	mostRows  = 1500
	mostMarks = 400
)

// perMark is how many transitions an object has, about.
const perMark = 5

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
	w := &walk{d: d, g: g, s: s, forward: p.OldestFirst, low: position{s.from, 0}, high: position{s.to, 0}, left: mostRows, chunk: min(4*p.limit(), mostRows)}
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
	w.left -= w.chunk + w.chunk*(len(w.lanes())-1)/4
	w.chunk = max(1, min(2*w.chunk, w.left))
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

func (w *walk) order() string {
	if w.forward {
		return ""
	}
	return " DESC"
}

// between is the condition that a row lies between two positions, both not among them.
func (w *walk) between(at, id string, low, high position) (condition string, args []any) {
	return w.d.Between(at, id, low.at, low.id, high.at, high.id)
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
		row := w.d.SQL().QueryRowContext(ctx, w.d.Rebind("SELECT y, n FROM (SELECT "+w.g.at+" AS y, "+w.g.id+" AS n FROM "+w.g.table+w.d.UseIndex(l.index)+
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
	lanes := w.lanes()
	if len(lanes) == 1 {
		return w.lookIn(ctx, lanes[0], w.g.columns, w.g.objects+w.g.names, low, high, want, found)
	}
	// Of several lanes, only positions are read until it is clear which rows come first.
	var all []position
	objects := w.g.objects
	if len(w.s.conditions) == 0 {
		objects = ""
	}
	for _, l := range lanes {
		err := w.lookIn(ctx, l, w.g.at+", "+w.g.id, objects, low, high, want, func(rows *sql.Rows) error {
			var at position
			err := rows.Scan(&at.at, &at.id)
			all = append(all, at)
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(x, y position) int {
		if w.further(y, x) {
			return -1
		}
		return 1
	})
	var ids []int64
	for _, at := range all[:min(want, len(all))] {
		ids = append(ids, at.id)
	}
	if ids == nil {
		return nil
	}
	return w.d.rows(ctx, "SELECT "+w.g.columns+" FROM "+w.g.table+w.d.JoinInOrder(w.g.objects+w.g.names)+" WHERE "+w.g.id+" IN "+numbers(ids), nil, found)
}

// lookIn looks at the rows of one lane.
func (w *walk) lookIn(ctx context.Context, l lane, columns, joins string, low, high position, want int, found func(*sql.Rows) error) error {
	between, args := w.between(w.g.at, w.g.id, low, high)
	conditions := append([]string{l.condition + between}, w.s.conditions...)
	return w.d.rows(ctx, "SELECT "+columns+" FROM "+w.g.table+w.d.UseIndex(l.index)+w.d.JoinInOrder(joins)+
		" WHERE "+strings.Join(conditions, " AND ")+" ORDER BY "+w.g.at+w.order()+", "+w.g.id+w.order()+" LIMIT ?", slices.Concat(l.args, args, w.s.args, []any{want}), found)
}

// rows calls f for each row that a query finds.
func (d *Database) rows(ctx context.Context, query string, args []any, f func(*sql.Rows) error) error {
	rows, err := d.SQL().QueryContext(ctx, d.Rebind(query), args...)
	if err != nil {
		return err
	}
	return each(rows, func() error { return f(rows) })
}

// lookAt looks at the rows of objects.
func (w *walk) lookAt(ctx context.Context, objects []int64, low, high position, want int, found func(*sql.Rows) error) error {
	at, id := w.d.NoIndex(w.g.at), w.d.NoIndex(w.g.id)
	between, args := w.between(at, id, low, high)
	conditions := append([]string{w.g.object + " IN " + numbers(objects), between}, w.s.conditions...)
	args = append(args, w.s.args...)
	if w.s.states != nil {
		conditions = append(conditions, w.d.NoIndex(w.g.state)+" IN "+list(len(w.s.states)))
		for _, st := range w.s.states {
			args = append(args, st)
		}
	}
	return w.d.rows(ctx, "SELECT "+w.g.columns+" FROM "+w.g.table+w.d.JoinInOrder(w.g.objects+w.g.names)+
		" WHERE "+strings.Join(conditions, " AND ")+" ORDER BY "+at+w.order()+", "+id+w.order()+" LIMIT ?", append(args, want), found)
}
