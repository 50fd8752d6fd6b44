package sqldb

import (
	"context"
	"database/sql"
	"net/url"
)

// Driver is one kind of database. The package has SQLite, PostgreSQL and MySQL; OpenWith
// opens a database with any other. A driver for a relative of these embeds the Driver
// that SQLite, PostgreSQL or MySQL returns, and replaces what differs.
//
// Any goroutine may call the methods. Package recordtest has tests that every driver
// must pass.
type Driver interface {
	// Dialect returns the SQL of the database. It is called once for each connection pool.
	Dialect() Dialect

	// Address reads the URL of a database. Neither Address.URL nor an error may contain a
	// password. It does not connect.
	Address(u *url.URL, getenv func(string) string) (Address, error)

	// Insert inserts rows. If keep is not empty, a row that violates a unique constraint is
	// left out, and the row in the database stays; every other error is returned. keep is one
	// of the columns, for databases that need to name one.
	Insert(ctx context.Context, tx *sql.Tx, rows Rows, keep string) error

	// Update updates rows: the first column is the key, the others are set. A row that does
	// not exist is left out.
	Update(ctx context.Context, tx *sql.Tx, rows Rows) error

	// Lock reads rows by their keys and locks them until the transaction ends, in the order of
	// the keys: transactions that lock the same rows never deadlock. Keys without a row are
	// left out.
	Lock(ctx context.Context, tx *sql.Tx, s Selection) (*sql.Rows, error)

	// TryLock takes a named lock without waiting, and reports whether it did. At most one
	// process holds the lock of a name, for each database. It ends with unlock, with the
	// process, or with its connection.
	TryLock(ctx context.Context, db *sql.DB, a Address, name string) (unlock func() error, ours bool, err error)

	// Size returns the space that the database takes.
	Size(ctx context.Context, db *sql.DB) (Size, error)

	// Vacuum returns free space to the file system, as far as writers can go on meanwhile. It
	// may do nothing.
	Vacuum(ctx context.Context, db *sql.DB) error

	// Explain says what an error of the database means, and what to do; known is false for
	// an error that is not of this database. Errors of the network need not be known.
	Explain(err error, a Address) (e Explanation, known bool)

	// Rejects reports whether an error is about the data of a statement: its size, a
	// character, a constraint. The same statement would fail again, and others would not.
	Rejects(err error) bool
}

// The names of the locks that this module takes.
const (
	// MigrationLock is held while the schema changes.
	MigrationLock = "vedette schema"
	// RetentionLock is held while the history is shortened.
	RetentionLock = "vedette retention"
)
