package history

import (
	"context"
	"database/sql"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// limits are the amounts of work after which a request returns the rows that it has found,
// with a cursor.
type limits struct {
	rows    int // in the order of a table
	entries int // of the transition index, for each term
}

// defaultLimits take about 30 ms on a slow core with SQLite.
var defaultLimits = limits{rows: 1500, entries: 400}

// transitionsPerObject is the estimated number of rows of an object.
const transitionsPerObject = 5

// scan reads a table in the order of time, in steps, until the page is full, the table ends
// or the limit is reached.
type scan struct {
	rows  *rowReader
	index *indexScan
	left  remainder
	limit limits
	chunk int // maximum number of rows for the next step in the order of the table
}

func newScan(db *sqldb.DB, table *model.Table, s *selection, p Paging, l limits) *scan {
	return &scan{
		rows: newRowReader(db, table, s), index: newIndexScan(db, s, l.entries), limit: l, chunk: min(4*p.limit(), l.rows),
		left: remainder{low: model.Position{At: s.from}, high: model.Position{At: s.to}, order: p.Order},
	}
}

// positioned is an item of a page with its position.
type positioned[T any] struct {
	position model.Position
	value    T
}

// scanPage returns a page of the rows of a table that match a filter. decode decodes a row.
func scanPage[T any](ctx context.Context, db *sqldb.DB, l limits, table *model.Table, f Filter, p Paging, decode func(*sql.Rows) (positioned[T], error)) (page Page[T], err error) {
	if _, _, err := p.position(); err != nil {
		return page, err
	}
	selection, err := f.resolve(ctx, db)
	if err != nil {
		return page, err
	}
	return scanSelection(ctx, db, l, table, selection, p, decode)
}

// scanSelection returns a page of the selected rows of a table.
func scanSelection[T any](ctx context.Context, db *sqldb.DB, l limits, table *model.Table, selection *selection, p Paging, decode func(*sql.Rows) (positioned[T], error)) (page Page[T], err error) {
	after, first, err := p.position()
	if err != nil || selection.nothing {
		return page, err
	}
	s := newScan(db, table, selection, p, l)
	if !first {
		s.left.advance(after)
	}
	var items []positioned[T]
	for len(items) <= p.limit() && !s.left.empty && s.limit.rows > 0 {
		var found []positioned[T]
		err := s.step(ctx, p.limit()+1-len(items), func(rows *sql.Rows) error {
			one, err := decode(rows)
			found = append(found, one)
			return err
		})
		if err != nil {
			return page, err
		}
		slices.SortFunc(found, func(x, y positioned[T]) int { return s.left.compare(x.position, y.position) })
		items = append(items, found...)
	}
	if len(items) > p.limit() {
		items = items[:p.limit()]
		page.Next = p.cursor(items[len(items)-1].position)
	} else if !s.left.empty {
		page.Next = p.cursor(s.left.near())
	}
	for _, i := range items {
		page.Items = append(page.Items, i.value)
	}
	return page, nil
}

// step reads the next part of the table. It calls each for the matching rows of the part in
// any order: for all of them, or for the first ones up to a limit.
func (s *scan) step(ctx context.Context, limit int, each func(*sql.Rows) error) error {
	if len(s.index.terms) == 0 && s.index.all { // one query fills the page
		s.left.empty = true
		return s.rows.read(ctx, s.left.rows(limit), s.left.compare, each)
	}
	c, err := s.index.candidates(ctx, &s.left)
	if err != nil || s.left.empty {
		return err
	}
	if !c.complete {
		reached, err := s.rows.probe(ctx, &s.left, s.chunk)
		if err != nil {
			return err
		}
		if s.left.compare(c.reach, reached) <= 0 {
			c = candidates{reach: reached}
		}
	}
	part := s.left.rowsUpTo(c.reach, limit)
	s.left.advance(c.reach)
	if c.objects != nil {
		s.limit.rows -= transitionsPerObject*len(c.objects) + s.limit.entries/4
		return s.rows.readObjects(ctx, c.objects, part, each)
	}
	s.limit.rows -= s.chunk + s.chunk*(len(s.rows.partitions)-1)/4
	s.chunk = max(1, min(2*s.chunk, s.limit.rows))
	return s.rows.read(ctx, part, s.left.compare, each)
}
