package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Querier runs queries. A DB runs them on any of its connections, a Tx within its
// transaction. Parameters are written as "?".
type Querier interface {
	// Query runs a query and calls each for every row. each must scan the row and not keep
	// it. If each returns an error, Query stops and returns it.
	Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error
	// QueryRow runs a query and returns its first row.
	QueryRow(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is a transaction. It is valid during the function that Transact calls, for one
// goroutine at a time.
type Tx struct {
	Fragments
	driver Driver
	tx     *sql.Tx
	pool   *pool
}

// Now returns what DB.Now returns.
func (t *Tx) Now() time.Time { return t.pool.now() }

// Exec runs a statement with "?" for parameters. It returns the number of affected rows; an
// UPDATE counts every row that its condition selects.
func (t *Tx) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	result, err := t.tx.ExecContext(ctx, t.rebind(statement), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query implements Querier.
func (t *Tx) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := t.tx.QueryContext(ctx, t.rebind(query), args...)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(ctx, t.rebind(query), args...)
}

// Insert inserts any number of rows.
func (t *Tx) Insert(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.driver.Insert(ctx, t.tx, Rows{table, columns, rows}, "")
}

// InsertNew inserts the rows that violate no unique constraint, and skips the others. It
// never changes an existing row. key is one of the columns.
func (t *Tx) InsertNew(ctx context.Context, table string, columns []string, rows [][]any, key string) error {
	return t.driver.Insert(ctx, t.tx, Rows{table, columns, rows}, key)
}

// InsertReturning is like InsertNew. It calls each for every inserted row, in any order, with
// the columns id and key. It inserts nothing and returns errors.ErrUnsupported if the
// database does not return inserted rows.
func (t *Tx) InsertReturning(ctx context.Context, table string, columns []string, rows [][]any, key string, each func(*sql.Rows) error) error {
	r, ok := t.driver.(Returner)
	if !ok {
		return errors.ErrUnsupported
	}
	return r.InsertReturning(ctx, t.tx, Rows{table, columns, rows}, key, each)
}

// Update updates existing rows. The first column is the key of a row; the other columns are
// set.
func (t *Tx) Update(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.driver.Update(ctx, t.tx, Rows{table, columns, rows})
}

// LockRows calls each for every selected row. It locks the rows in the order of their keys;
// they stay locked until the transaction ends.
func (t *Tx) LockRows(ctx context.Context, s Selection, each func(*sql.Rows) error) error {
	rows, err := t.driver.LockRows(ctx, t.tx, s)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}
