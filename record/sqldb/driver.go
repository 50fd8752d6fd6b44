package sqldb

import (
	"context"
	"database/sql"
	"net/url"
)

// Driver is one kind of database. SQLite, PostgreSQL and MySQL return those of this
// package; OpenWith opens a database with any other. The driver of a related database
// embeds one of the three and replaces the methods that differ. Chunks, Rows, Selection,
// SessionLock and TryFileLock are parts to build others from.
//
// Any goroutine may call the methods at any time. Package recordtest has the tests that
// every driver must pass.
type Driver interface {
	// Dialect returns the SQL of the database. It is called once for each DB.
	Dialect() Dialect

	// Address interprets the URL of a database, and does not connect. Neither Address.URL nor
	// an error may contain a password.
	Address(u *url.URL, getenv func(string) string) (Address, error)

	// Insert inserts any number of rows. If key is not empty, it leaves out each row that
	// violates a unique constraint, and returns all other errors. key is one of the columns,
	// for a database that has to name one.
	Insert(ctx context.Context, tx *sql.Tx, rows Rows, key string) error

	// Update updates any number of rows. The first column is the key of a row; the others are
	// set. It leaves out rows that do not exist.
	Update(ctx context.Context, tx *sql.Tx, rows Rows) error

	// LockRows returns rows by their keys, and locks them until the transaction ends. It locks
	// in the order of the keys, so transactions with keys in common do not deadlock. It leaves
	// out keys without a row. The caller closes the rows.
	LockRows(ctx context.Context, tx *sql.Tx, s Selection) (*sql.Rows, error)

	// TryLock takes a named lock without waiting; ours reports whether it did. Locks of
	// different names, or of different databases, are independent. The lock lasts until
	// unlock is called, or until the process or its connection ends. It lasts while the
	// connection is idle.
	TryLock(ctx context.Context, db *sql.DB, a Address, name string) (unlock func() error, ours bool, err error)

	// Size returns the space that the database takes. It may take seconds.
	Size(ctx context.Context, db *sql.DB) (Size, error)

	// Vacuum returns free space to the file system while others write. A driver whose database
	// uses free space for new rows does nothing.
	Vacuum(ctx context.Context, db *sql.DB) error

	// Explain returns the meaning of an error. known reports whether the error comes from the
	// database. The caller explains errors of the network.
	Explain(err error, a Address) (e Explanation, known bool)

	// Rejects reports whether an error is about the data of a statement: its size, a
	// character, a CHECK constraint. The same statement would fail again; statements with other
	// data would not.
	Rejects(err error) bool
}

// The names of the locks that this module takes.
const (
	// MigrationLock is held while the schema changes.
	MigrationLock = "vedette schema"
	// RetentionLock is held while the history is shortened.
	RetentionLock = "vedette retention"
	// KeptLogsLock is held while kept logs are removed because of their total size.
	KeptLogsLock = "vedette kept-logs"
)
