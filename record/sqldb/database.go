package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// DB is where a recorder writes, and where history is read. Any goroutine
// may use it.
type DB struct {
	address
	db *sql.DB
}

// Querier runs queries: a DB, or a Tx within its transaction. Queries are written with
// ? for parameters.
type Querier interface {
	// Query calls each for every row; each scans it.
	Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error
	// QueryRow returns the first row of a query.
	QueryRow(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is a transaction.
type Tx struct {
	tx *sql.Tx
	db *DB
}

// Open opens a database by its URL, and does not change it yet:
//
//	sqlite:///var/lib/vedette/history.db    sqlite:history.db
//	mysql://user@host:3306/database?tls=true&tls-ca=/ca.pem&password-file=/secret
//	postgres://user@host:5432/database?sslmode=verify-full&sslrootcert=/ca.pem
//
// MariaDB counts as MySQL. A password may stand in the URL, in the file that
// password-file names, or in the environment as VEDETTE_DB_PASSWORD; it is in no
// error and no log. Close closes it.
//
// Errors: what is wrong with the URL; the database does not answer, or refuses.
func Open(ctx context.Context, url string) (*DB, error) {
	a, err := parseAddress(url, os.Getenv)
	if err != nil {
		return nil, err
	}
	return a.connect(ctx)
}

// connectTimeout bounds how long a connection may take: a host that does not answer
// is not waited for until the system gives up, which is minutes.
const connectTimeout = 10 * time.Second

func (a address) connect(ctx context.Context) (*DB, error) {
	db, err := a.open()
	if err != nil {
		return nil, a.explain(err)
	}
	if a.dialect == sqlite {
		db.SetMaxOpenConns(8)
	} else {
		db.SetMaxOpenConns(16)
		db.SetConnMaxIdleTime(orphaned / 2)
	}
	db.SetMaxIdleConns(idleConns)
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		err = a.explain(err)
		if e := (*Error)(nil); errors.As(err, &e) && e.Problem == "" {
			e.Problem, e.Remedy = "it does not answer as it should", "is this the address of a "+a.dialect.name+" server?"
		}
		return nil, err
	}
	return &DB{a, db}, nil
}

// String returns the URL of the database, without a password.
func (d *DB) String() string { return d.shown }

// Close closes all connections.
func (d *DB) Close() error { return d.db.Close() }

// Exec runs a statement with ? for parameters, and returns the number of rows that it
// changed.
func (t *Tx) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	result, err := t.tx.ExecContext(ctx, t.db.dialect.query(statement), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query implements Querier.
func (t *Tx) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := t.tx.QueryContext(ctx, t.db.dialect.query(query), args...)
	return forEach(rows, err, each)
}

// QueryRow implements Querier.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(ctx, t.db.dialect.query(query), args...)
}

// DB returns the database of the transaction.
func (t *Tx) DB() *DB { return t.db }

// Query implements Querier.
func (d *DB) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	rows, err := d.db.QueryContext(ctx, d.dialect.query(query), args...)
	return forEach(rows, err, each)
}

// QueryRow implements Querier.
func (d *DB) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return d.db.QueryRowContext(ctx, d.dialect.query(query), args...)
}

// forEach calls each for every row, and closes them.
func forEach(rows *sql.Rows, err error, each func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Transact runs f in a transaction, which is rolled back if f fails.
func (d *DB) Transact(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := d.db.BeginTx(ctx, d.dialect.begin)
	if err != nil {
		return d.explainKnown(err)
	}
	if err := f(&Tx{tx, d}); err != nil {
		_ = tx.Rollback() // the first error says it
		return d.explainKnown(err)
	}
	return d.explainKnown(tx.Commit())
}

// SQL returns the connections, for queries of one's own.
func (d *DB) SQL() *sql.DB { return d.db }

// SQL returns the transaction, for statements of one's own.
func (t *Tx) SQL() *sql.Tx { return t.tx }

// TxOf returns the Tx of a transaction of the database.
func (d *DB) TxOf(tx *sql.Tx) *Tx { return &Tx{tx, d} }

// Rebind numbers the parameters of a statement that was written with ?.
func (d *DB) Rebind(text string) string { return d.dialect.query(text) }
