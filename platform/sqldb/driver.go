package sqldb

import (
	"context"
	"database/sql"
	"net/url"
)

// Driver adapts one kind of database. SQLite, PostgreSQL and MySQL return the drivers of
// this package; OpenWith opens a database with any other driver. The driver of a related
// database embeds one of the three and replaces the methods that differ. Chunks, Rows,
// Selection, SessionLock and TryFileLock are building blocks for other drivers.
//
// All methods must be safe for concurrent use. Package recordtest has the tests that every
// driver must pass.
type Driver interface {
	// Dialect returns the SQL of the database. It is called once for each DB.
	Dialect() Dialect

	// Address interprets the URL of a database without connecting. Neither Address.URL nor
	// an error may contain a password.
	Address(u *url.URL, getenv func(string) string) (Address, error)

	// Insert inserts any number of rows. With a key, it skips each row that violates a
	// unique constraint, and returns all other errors. key is one of the columns, for a
	// database whose SQL must name one.
	Insert(ctx context.Context, tx *sql.Tx, rows Rows, key string) error

	// Update updates any number of rows. The first column is the key of a row; the other
	// columns are set. It skips rows that do not exist.
	Update(ctx context.Context, tx *sql.Tx, rows Rows) error

	// LockRows returns rows by their keys, and locks them until the transaction ends. It
	// locks in the order of the keys, so transactions with common keys do not deadlock. It
	// skips keys without a row. The caller closes the rows.
	LockRows(ctx context.Context, tx *sql.Tx, s Selection) (*sql.Rows, error)

	// TryLock attempts to take a named lock without waiting; ours reports whether it
	// succeeded. Locks with different names, or of different databases, are independent.
	// The lock lasts until unlock is called, or until the process or its connection ends,
	// even while the connection is idle.
	TryLock(ctx context.Context, db *sql.DB, a Address, name string) (unlock func() error, ours bool, err error)

	// FileBytes returns Size.Files. It is fast, and needs no right to write.
	FileBytes(ctx context.Context, db *sql.DB) (int64, error)

	// Size returns the space that the database takes. It may take seconds, and may write
	// statistics.
	Size(ctx context.Context, db *sql.DB) (Size, error)

	// Vacuum returns free space to the file system while others write. It does nothing for
	// a database that keeps free space for new rows.
	Vacuum(ctx context.Context, db *sql.DB) error

	// Explain returns the meaning of an error. known is false if the error does not come
	// from the database. The caller explains errors of the network.
	Explain(err error, a Address) (e Explanation, known bool)

	// Rejects reports whether an error is caused by the data of a statement, such as its
	// size, a character or a CHECK constraint. The same statement would fail again;
	// statements with other data would not.
	Rejects(err error) bool
	// ReadOnly reports whether an error means that the server takes no writes now, for
	// example because another one was promoted. New connections may find that one.
	ReadOnly(err error) bool
	// Conflicts reports whether the server refused a transaction because of another one: a
	// deadlock, or a change of the same rows on another node of a cluster. The transaction
	// may succeed when it is repeated.
	Conflicts(err error) bool
}

// Returner is a Driver of a database that can return the rows that it inserts. It saves the
// query that reads their numbers.
type Returner interface {
	Driver

	// InsertReturning inserts rows like Insert with a key, and calls each for every inserted
	// row, in any order. The row has the columns id and key.
	InsertReturning(ctx context.Context, tx *sql.Tx, rows Rows, key string, each func(*sql.Rows) error) error
}

// Scrubber is a Driver of a database that can remove the content of deleted rows from its
// files.
type Scrubber interface {
	Driver

	// Scrub rewrites the files. They contain only rows that exist then.
	Scrub(ctx context.Context, db *sql.DB) error
}

// Limiter is a Driver of a database with a setting that limits the size of a value.
type Limiter interface {
	Driver

	// ValueLimit returns the limit in bytes, and the name of the setting.
	ValueLimit(ctx context.Context, db *sql.DB) (bytes int64, setting string, err error)
}

// Settler is a Driver of a server whose sessions need settings that a pooler does not pass on.
type Settler interface {
	Driver

	// RoleSettings returns the statements that make the missing settings defaults of the
	// role.
	RoleSettings(ctx context.Context, db *sql.DB) (missing []string, err error)
}

// Preparer is a Driver that knows what a server and the rights of its user must allow for the steps
// of the schema.
type Preparer interface {
	Driver

	// CheckMigration returns an error if something is not allowed. With try, it also makes changes
	// like those of a step, and removes them.
	CheckMigration(ctx context.Context, db *sql.DB, try bool) error
}

// Names of the locks of this module.
const (
	// MigrationLock is held while the schema changes.
	MigrationLock = "vedette schema"
	// RetentionLock is held while retention removes history.
	RetentionLock = "vedette retention"
	// KeptLogsLock is held while kept logs are removed because their total size exceeds its
	// limit.
	KeptLogsLock = "vedette kept-logs"
)
