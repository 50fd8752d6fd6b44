package record

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Database is where a recorder writes, and where history is read. Any goroutine
// may use it.
type Database struct {
	address
	db *sql.DB
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
func Open(ctx context.Context, url string) (*Database, error) {
	a, err := parseAddress(url, os.Getenv)
	if err != nil {
		return nil, err
	}
	return a.connect(ctx)
}

// connectTimeout bounds how long a connection may take: a host that does not answer
// is not waited for until the system gives up, which is minutes.
const connectTimeout = 10 * time.Second

func (a address) connect(ctx context.Context) (*Database, error) {
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
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		err = a.explain(err)
		if e := (*DatabaseError)(nil); errors.As(err, &e) && e.Problem == "" {
			e.Problem, e.Remedy = "it does not answer as it should", "is this the address of a "+a.dialect.name+" server?"
		}
		return nil, err
	}
	return &Database{a, db}, nil
}

// String returns the URL of the database, without a password.
func (d *Database) String() string { return d.shown }

// Close closes all connections.
func (d *Database) Close() error { return d.db.Close() }

// exec runs a statement that was written with ? for parameters.
func (d *Database) exec(ctx context.Context, tx *sql.Tx, text string, args ...any) (sql.Result, error) {
	return tx.ExecContext(ctx, d.dialect.query(text), args...)
}

// query runs a query that was written with ? for parameters.
func (d *Database) query(ctx context.Context, tx *sql.Tx, text string, args ...any) (*sql.Rows, error) {
	return tx.QueryContext(ctx, d.dialect.query(text), args...)
}

// within runs f in a transaction, which is rolled back if f fails.
func (d *Database) within(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := d.db.BeginTx(ctx, d.dialect.begin)
	if err != nil {
		return d.explainKnown(err)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // the first error says it
		return d.explainKnown(err)
	}
	return d.explainKnown(tx.Commit())
}

// SQL returns the connections, for queries of one's own.
func (d *Database) SQL() *sql.DB { return d.db }
