package history

import (
	"context"
	"database/sql"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// rowReader reads the rows of a table that match a selection. An index orders the rows of
// one state by time, so rows of several states are read as several partitions and merged.
type rowReader struct {
	db         *sqldb.DB
	table      *model.Table
	selection  *selection
	partitions []model.Partition
}

func newRowReader(db *sqldb.DB, table *model.Table, s *selection) *rowReader {
	return &rowReader{db, table, s, table.Partitions(s.states)}
}

// probe returns the position that a scan reaches if it reads the given number of rows of
// each partition, whether they match or not.
func (r *rowReader) probe(ctx context.Context, left *remainder, rows int) (model.Position, error) {
	reached := left.far()
	for _, p := range r.partitions {
		last, found, err := r.table.Probe(ctx, r.db, p, left.rows(rows))
		if err != nil {
			return reached, err
		}
		if found && left.compare(last, reached) < 0 {
			reached = last
		}
	}
	return reached, nil
}

// read reads the first matching rows of an interval, in any order: first the positions of
// each partition, then the rows.
func (r *rowReader) read(ctx context.Context, i model.Interval, compare func(x, y model.Position) int, each func(*sql.Rows) error) error {
	var first []model.Position
	for _, p := range r.partitions {
		found, err := r.table.ReadPositions(ctx, r.db, p, i, r.selection.conditions)
		if err != nil {
			return err
		}
		first = append(first, found...)
	}
	slices.SortFunc(first, compare)
	var ids []int64
	for _, at := range first[:min(i.Limit, len(first))] {
		ids = append(ids, at.ID)
	}
	return r.table.ReadRows(ctx, r.db, ids, each)
}

// readObjects reads the first matching rows of an interval that belong to some objects, in
// any order.
func (r *rowReader) readObjects(ctx context.Context, objects []int64, i model.Interval, each func(*sql.Rows) error) error {
	return r.table.ReadObjects(ctx, r.db, objects, r.selection.states, i, r.selection.conditions, each)
}
