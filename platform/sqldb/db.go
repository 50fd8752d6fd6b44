package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	Fragments
	pool *pool
	view view // nil: the database itself answers queries
}

// view answers queries in place of the database. It returns false if the database must answer.
type view interface {
	query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) (done bool, err error)
}

// String returns the URL of the database without its password.
func (d *DB) String() string { return d.pool.address.URL }

// Close closes all connections. Transactions in progress fail.
func (d *DB) Close() error { return d.pool.db.Close() }

// Query implements Querier.
func (d *DB) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	text := d.rebind(query)
	if d.view != nil {
		if done, err := d.view.query(ctx, text, args, each); done {
			return err
		}
	}
	return eachRow(ctx, d.pool.db, text, args, each)
}

// QueryRow implements Querier.
func (d *DB) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return d.pool.db.QueryRowContext(ctx, d.rebind(query), args...)
}

// Transact runs f in a transaction. It commits if f returns nil, and rolls back otherwise.
// A statement that waited for a lock sees the changes that the holder of the lock
// committed.
//
// Errors: those of f; errors of the database or the network, as an Error.
func (d *DB) Transact(ctx context.Context, f func(tx *Tx) error) error {
	d.pool.refresh(ctx)
	tx, err := d.pool.db.BeginTx(ctx, &d.dialect.Transaction)
	if err != nil {
		return d.pool.explainKnown(err)
	}
	if err := f(&Tx{d.Fragments, d.pool.driver, tx, d.pool}); err != nil {
		_ = tx.Rollback() // the first error is more useful
		return d.pool.explainKnown(err)
	}
	return d.pool.explainKnown(tx.Commit())
}

// Bounded returns a context for one unit of work, which ends after Timeout. The caller must
// call done at the end of the work. If the work exceeded Timeout, done closes the idle
// connections, because their server may have vanished as well.
func (d *DB) Bounded(ctx context.Context) (bound context.Context, done func()) {
	return d.pool.bounded(ctx)
}

// TryLock attempts to take a named lock of the database without waiting. ours is false if
// another process holds the lock. The lock ends with unlock, with the process, or with its
// connection.
func (d *DB) TryLock(ctx context.Context, name string) (unlock func() error, ours bool, err error) {
	return d.pool.tryLock(ctx, name)
}

// Explain returns an error as an Error, which has the URL of the database. It returns nil
// for nil, and returns an error that wraps an Error unchanged.
func (d *DB) Explain(err error) error { return d.pool.explain(err) }

// Rejects reports whether an error is caused by the data of a statement. The same statement
// would fail again; statements with other data would not.
func (d *DB) Rejects(err error) bool { return d.pool.driver.Rejects(err) }

// ValueLimit returns the size in bytes that no value may exceed, and the setting of the server that
// limits it; 0 if no setting does.
func (d *DB) ValueLimit(ctx context.Context) (bytes int64, setting string, err error) {
	l, ok := d.pool.driver.(Limiter)
	if !ok {
		return 0, "", nil
	}
	bytes, setting, err = l.ValueLimit(ctx, d.pool.db)
	return bytes, setting, d.Explain(err)
}

// RoleSettings returns statements for the settings that the sessions need and do not have, because
// a pooler such as PgBouncer does not pass them on.
func (d *DB) RoleSettings(ctx context.Context) (missing []string, err error) {
	s, ok := d.pool.driver.(Settler)
	if !ok {
		return nil, nil
	}
	missing, err = s.RoleSettings(ctx, d.pool.db)
	return missing, d.Explain(err)
}

// CheckMigration returns an error if the server or the rights of its user forbid a
// step of the schema. With try, it makes changes like those of a step, and removes them.
func (d *DB) CheckMigration(ctx context.Context, try bool) error {
	return migrator{d.pool}.check(ctx, try)
}

// Conflicts reports whether the server refused a transaction because of another one. The
// transaction may succeed when it is repeated at once.
func (d *DB) Conflicts(err error) bool { return d.pool.driver.Conflicts(err) }

// Version returns the product and its version, such as "PostgreSQL 15.14" or
// "MariaDB 10.11.11".
func (d *DB) Version(ctx context.Context) (version string, err error) {
	err = d.pool.db.QueryRowContext(ctx, d.dialect.Version).Scan(&version)
	return version, d.Explain(err)
}

// Now returns the time of the server, or the local time for a database without a server.
// Processes on different machines compare the times in a database, such as the end of a
// lease, so these times come from one clock. Transact reads the clock of the server once a
// minute; in between, Now adds the time that has passed on this machine, also if its wall
// clock is set. Without a server, Now does not go back while the process runs. The result has
// no reading of the monotonic clock.
func (d *DB) Now() time.Time { return d.pool.now() }

// Clock reads the clock of the server. It returns the local time for a database without a
// server.
func (d *DB) Clock(ctx context.Context) (time.Time, error) {
	if d.dialect.Clock == "" {
		return d.Now(), nil
	}
	var at int64
	if err := d.pool.db.QueryRowContext(ctx, d.dialect.Clock).Scan(&at); err != nil {
		return time.Time{}, d.Explain(err)
	}
	return time.UnixMicro(at), nil
}

// FileBytes returns Size.Files alone, which is fast.
func (d *DB) FileBytes(ctx context.Context) (int64, error) {
	n, err := d.pool.driver.FileBytes(ctx, d.pool.db)
	if err != nil {
		return 0, fmt.Errorf("size of the files: %w", err)
	}
	return n, nil
}

// Size returns the space that the database takes. It takes seconds on a large database, and
// needs the rights of a recorder. A server counts rows from statistics, which Size updates.
func (d *DB) Size(ctx context.Context) (Size, error) {
	s, err := d.pool.driver.Size(ctx, d.pool.db)
	if err != nil {
		return s, fmt.Errorf("size: %w", err)
	}
	return s, nil
}

// Vacuum returns free space to the file system, as far as possible while others write. A
// server keeps free space for new rows.
func (d *DB) Vacuum(ctx context.Context) error { return d.pool.driver.Vacuum(ctx, d.pool.db) }

// Scrub removes the content of deleted rows from the files of the database, which it rewrites. It
// returns false without an error if the database does this by itself, at times of its own, as
// servers do.
//
// Errors: those of the database, for example because others read the files all the time.
func (d *DB) Scrub(ctx context.Context) (done bool, err error) {
	s, ok := d.pool.driver.(Scrubber)
	if !ok {
		return false, nil
	}
	if err := s.Scrub(ctx, d.pool.db); err != nil {
		return false, d.Explain(err)
	}
	return true, nil
}

// Migrations returns the migrations of this program, and which of them the database has. It
// does not change the database.
//
// Errors: ErrNewer, together with the migrations; errors of the database.
func (d *DB) Migrations(ctx context.Context) ([]Migration, error) {
	return migrator{d.pool}.list(ctx)
}

// Migrate applies the missing migrations, and returns them. If several processes migrate,
// one applies the migrations while the others wait.
//
// Errors: ErrNewer; errors of the database. A failed migration is rolled back, except on
// MySQL and MariaDB, which commit each statement that changes the schema.
func (d *DB) Migrate(ctx context.Context) (applied []Migration, err error) {
	return migrator{d.pool}.up(ctx)
}

// SQL returns the connections, for statements of tools and tests. DB.Close closes them.
func (d *DB) SQL() *sql.DB { return d.pool.db }
