package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// DB is an open database. Any goroutine may use it.
type DB struct {
	Fragments
	pool *pool
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
	Fragments
	tx *sql.Tx
	db *DB
}

// Exec runs a statement with ? for parameters, and returns the number of rows that it
// changed.
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

// DB returns the database of the transaction.
func (t *Tx) DB() *DB { return t.db }

// Insert inserts rows, as many in a statement as is best.
func (t *Tx) Insert(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.db.pool.driver.Insert(ctx, t.tx, Rows{table, columns, rows}, "")
}

// InsertNew inserts rows. Rows that violate a unique constraint are left out: those in the
// database stay as they are. key is one of the columns.
func (t *Tx) InsertNew(ctx context.Context, table string, columns []string, rows [][]any, key string) error {
	return t.db.pool.driver.Insert(ctx, t.tx, Rows{table, columns, rows}, key)
}

// Update updates rows: the first column is the key, and the others are set.
func (t *Tx) Update(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.db.pool.driver.Update(ctx, t.tx, Rows{table, columns, rows})
}

// LockObjects reads columns of the rows of objects with UIDs, which are sorted, and locks
// the rows in that order until the transaction ends.
func (t *Tx) LockObjects(ctx context.Context, columns string, cluster, resource int64, uids []string, each func(*sql.Rows) error) error {
	return t.LockRows(ctx, Selection{
		Columns: columns, Table: "objects", Index: "objects_uid", Where: "cluster_id = ? AND resource_id = ?", Args: []any{cluster, resource}, Key: "uid", Keys: uids,
	}, each)
}

// LockRows calls each for the rows of a selection, and locks them in the order of their
// keys until the transaction ends.
func (t *Tx) LockRows(ctx context.Context, s Selection, each func(*sql.Rows) error) error {
	rows, err := t.db.pool.driver.Lock(ctx, t.tx, s)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}

// PreferIndexes makes the queries of the transaction use indexes, also for tables
// without statistics.
func (t *Tx) PreferIndexes(ctx context.Context) error {
	if t.dialect.PreferIndexes == "" {
		return nil
	}
	_, err := t.tx.ExecContext(ctx, t.dialect.PreferIndexes)
	return err
}

// String returns the URL of the database, without a password.
func (d *DB) String() string { return d.pool.address.URL }

// Close closes all connections.
func (d *DB) Close() error { return d.pool.db.Close() }

// Query implements Querier.
func (d *DB) Query(ctx context.Context, text string, args []any, each func(*sql.Rows) error) error {
	return eachRow(ctx, d.pool.db, d.rebind(text), args, each)
}

// QueryRow implements Querier.
func (d *DB) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return d.pool.db.QueryRowContext(ctx, d.rebind(query), args...)
}

// Transact runs f in a transaction, which is rolled back if f fails.
func (d *DB) Transact(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := d.pool.db.BeginTx(ctx, &d.dialect.Transaction)
	if err != nil {
		return d.pool.explainKnown(err)
	}
	if err := f(&Tx{d.Fragments, tx, d}); err != nil {
		_ = tx.Rollback() // the first error says it
		return d.pool.explainKnown(err)
	}
	return d.pool.explainKnown(tx.Commit())
}

// Bounded returns a context that ends after Timeout. The caller calls done when the work
// is over. If it took too long, no connection that existed before is used again.
func (d *DB) Bounded(ctx context.Context) (bound context.Context, done func()) {
	return d.pool.bounded(ctx)
}

// TryLock takes a lock of the database by its name, unless another process holds it. It
// ends with unlock, with the process, or with its connection.
func (d *DB) TryLock(ctx context.Context, name string) (unlock func() error, ours bool, err error) {
	return d.pool.tryLock(ctx, name)
}

// Explain returns an error that names the database and says what to do; nil stays nil.
func (d *DB) Explain(err error) error { return d.pool.explain(err) }

// Rejects reports whether an error is about the data of a statement, and not about the
// database: trying the statement again does not help.
func (d *DB) Rejects(err error) bool { return d.pool.driver.Rejects(err) }

// Version returns the product and its version: "PostgreSQL 15.14", "MariaDB 10.11.11".
//
// Errors: what the database says.
func (d *DB) Version(ctx context.Context) (version string, err error) {
	return version, d.Explain(d.pool.db.QueryRowContext(ctx, d.dialect.Version).Scan(&version))
}

// Clock returns the time of the server, or of this machine for a database without one.
//
// Errors: what the database says.
func (d *DB) Clock(ctx context.Context) (time.Time, error) {
	if d.dialect.Clock == "" {
		return time.Now(), nil
	}
	var at int64
	if err := d.pool.db.QueryRowContext(ctx, d.dialect.Clock).Scan(&at); err != nil {
		return time.Time{}, d.Explain(err)
	}
	return time.UnixMicro(at), nil
}

// Size returns the space that the database takes.
func (d *DB) Size(ctx context.Context) (Size, error) {
	s, err := d.pool.driver.Size(ctx, d.pool.db)
	if err != nil {
		return s, fmt.Errorf("size: %w", err)
	}
	return s, nil
}

// Exact reports whether Size is exact. If not, Used changes some time after the rows.
func (d *DB) Exact() bool { return d.pool.address.File != "" }

// Vacuum returns free space to the file system, where the database can do so while others
// write. Servers use the space of deleted rows for new ones.
func (d *DB) Vacuum(ctx context.Context) error { return d.pool.driver.Vacuum(ctx, d.pool.db) }

// Migrations returns all steps of the schema, and which were applied. It changes nothing.
//
// Errors: ErrNewer, with what there is; what the database says.
func (d *DB) Migrations(ctx context.Context) ([]Migration, error) {
	return migrator{d.pool}.list(ctx)
}

// Migrate brings the schema to what this program needs, under a lock: of several
// that do so at once, one does it and the others wait. It returns the steps that it
// took.
//
// Errors: ErrNewer; what the database says. A step that fails is rolled back, where
// the database can (MySQL can not).
func (d *DB) Migrate(ctx context.Context) (applied []Migration, err error) {
	return migrator{d.pool}.up(ctx)
}

// SQL returns the connections, for queries of one's own.
func (d *DB) SQL() *sql.DB { return d.pool.db }

// SQL returns the transaction, for statements of one's own.
func (t *Tx) SQL() *sql.Tx { return t.tx }

// TxOf returns the Tx of a transaction of the database.
func (d *DB) TxOf(tx *sql.Tx) *Tx { return &Tx{d.Fragments, tx, d} }

// Rebind numbers the parameters of a statement that was written with ?.
func (d *DB) Rebind(text string) string { return d.rebind(text) }
