package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Removed counts the rows of removed objects. Bytes is the size of their bodies.
type Removed struct{ Objects, Revisions, Transitions, Bytes int64 }

// RemoveObjects deletes objects with all rows of the history that refer to them, except
// positions of the feed.
func RemoveObjects(ctx context.Context, tx *sqldb.Tx, ids []int64) (r Removed, err error) {
	if r.Bytes, err = BodyBytes(ctx, tx, ids); err != nil {
		return r, err
	}
	for _, id := range ids {
		if err := Unindex(ctx, tx, id); err != nil {
			return r, err
		}
	}
	if r.Revisions, err = DeleteRevisionsOf(ctx, tx, ids); err != nil {
		return r, err
	}
	if r.Transitions, err = DeleteTransitionsOf(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteLabels(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteJobs(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteParts(ctx, tx, ids); err != nil {
		return r, err
	}
	r.Objects, err = DeleteObjects(ctx, tx, ids)
	return r, err
}

// CountRows returns the number of rows of a table that refer to some objects.
func CountRows(ctx context.Context, q sqldb.Querier, table string, ids []int64) (n int64, err error) {
	column := "object_id"
	if table == "objects" {
		column = "id"
	}
	err = queryIn(ctx, q, "SELECT COUNT(*) FROM "+table+" WHERE "+column+" IN ", ids, "", func(rows *sql.Rows) error {
		var some int64
		err := rows.Scan(&some)
		n += some
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("table %s: %w", table, err)
	}
	return n, nil
}
