package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/record/sqldb"
)

// ensureRow returns the number of the row with a key, and inserts the row if it does not
// exist. columns begin with those of the key.
func ensureRow(ctx context.Context, tx *sqldb.Tx, table string, key, more []string, values ...any) (id int64, err error) {
	query := "SELECT id FROM " + table + " WHERE " + strings.Join(key, " = ? AND ") + " = ?"
	id, err = oneNumber(ctx, tx, query, values[:len(key)]...)
	if errors.Is(err, sql.ErrNoRows) {
		if err = tx.InsertNew(ctx, table, slices.Concat(key, more), [][]any{values}, key[0]); err == nil {
			id, err = oneNumber(ctx, tx, query, values[:len(key)]...)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("table %s: %w", table, err)
	}
	return id, nil
}

// oneNumber returns the number that a query selects.
//
// Errors: sql.ErrNoRows.
func oneNumber(ctx context.Context, q sqldb.Querier, query string, args ...any) (n int64, err error) {
	err = q.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// maybeNumber returns the number that an aggregate selects, and false for NULL.
func maybeNumber(ctx context.Context, q sqldb.Querier, query string, args ...any) (int64, bool, error) {
	var n sql.NullInt64
	err := q.QueryRow(ctx, query, args...).Scan(&n)
	return n.Int64, n.Valid, err
}

// numbers returns all numbers that a query selects.
func numbers(ctx context.Context, q sqldb.Querier, query string, args ...any) (all []int64, err error) {
	err = q.Query(ctx, query, args, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		all = append(all, n)
		return err
	})
	return all, err
}
