package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// ensureRow returns the row ID for a key, and inserts the row if it does not exist. values
// begin with those of the key.
func ensureRow(ctx context.Context, tx *sqldb.Tx, table string, key, more []string, values ...any) (id int64, err error) {
	query := "SELECT id FROM " + table + " WHERE " + strings.Join(key, " = ? AND ") + " = ?"
	id, err = queryInt(ctx, tx, query, values[:len(key)]...)
	if errors.Is(err, sql.ErrNoRows) {
		if err = tx.InsertNew(ctx, table, slices.Concat(key, more), [][]any{values}, key[0]); err == nil {
			id, err = queryInt(ctx, tx, query, values[:len(key)]...)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("table %s: %w", table, err)
	}
	return id, nil
}

// queryInt returns the integer that a query selects.
//
// Errors: sql.ErrNoRows.
func queryInt(ctx context.Context, q sqldb.Querier, query string, args ...any) (n int64, err error) {
	err = q.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// queryNullInt returns the integer that an aggregate selects. It returns false for NULL.
func queryNullInt(ctx context.Context, q sqldb.Querier, query string, args ...any) (int64, bool, error) {
	var n sql.NullInt64
	err := q.QueryRow(ctx, query, args...).Scan(&n)
	return n.Int64, n.Valid, err
}

// queryInts returns all integers that a query selects.
func queryInts(ctx context.Context, q sqldb.Querier, query string, args ...any) (all []int64, err error) {
	err = q.Query(ctx, query, args, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		all = append(all, n)
		return err
	})
	return all, err
}
