package record

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Database is where a recorder writes, and where history is read. Any goroutine
// may use it.
type Database struct{ *sqldb.DB }

// Open opens a database as sqldb.Open does.
func Open(ctx context.Context, url string) (*Database, error) {
	d, err := sqldb.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Database{d}, nil
}

// Inspect opens a database as sqldb.Inspect does.
func Inspect(ctx context.Context, url string) (*Database, error) {
	d, err := sqldb.Inspect(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Database{d}, nil
}

// Read opens a database as sqldb.Read does.
func Read(ctx context.Context, url string) (*Database, error) {
	d, err := sqldb.Read(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Database{d}, nil
}

func (d *Database) exec(ctx context.Context, tx *sql.Tx, text string, args ...any) (sql.Result, error) {
	return tx.ExecContext(ctx, d.Rebind(text), args...)
}

func (d *Database) query(ctx context.Context, tx *sql.Tx, text string, args ...any) (*sql.Rows, error) {
	return tx.QueryContext(ctx, d.Rebind(text), args...)
}

func (d *Database) within(ctx context.Context, f func(tx *sql.Tx) error) error {
	return d.Transact(ctx, func(tx *sqldb.Tx) error { return f(tx.SQL()) })
}

func (d *Database) insertAll(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any, keep string) error {
	if keep != "" {
		return d.TxOf(tx).InsertNew(ctx, table, columns, rows, keep)
	}
	return d.TxOf(tx).Insert(ctx, table, columns, rows)
}

func (d *Database) updateAll(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any) error {
	return d.TxOf(tx).Update(ctx, table, columns, rows)
}

func list(n int) string { return sqldb.Placeholders(n) }
