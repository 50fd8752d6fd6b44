package recordtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// test is one property of a driver.
type test struct {
	name string
	run  func(t *testing.T, d *database)
}

// database is an empty database of the driver under test, for one test.
type database struct {
	*sqldb.DB
	t *testing.T
}

func newDatabase(t *testing.T, open func(t *testing.T) *sqldb.DB) *database {
	t.Helper()
	db := open(t)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &database{db, t}
}

// migrate creates the schema.
func (d *database) migrate() {
	d.t.Helper()
	if _, err := d.Migrate(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// within runs f in a transaction that must commit.
func (d *database) within(f func(ctx context.Context, tx *sqldb.Tx) error) {
	d.t.Helper()
	if err := d.Transact(d.t.Context(), func(tx *sqldb.Tx) error { return f(d.t.Context(), tx) }); err != nil {
		d.t.Fatal(err)
	}
}

// number returns the number that a query finds.
func (d *database) number(query string, args ...any) (n int64) {
	d.t.Helper()
	if err := d.QueryRow(d.t.Context(), query, args...).Scan(&n); err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// texts returns the texts that a query finds.
func (d *database) texts(query string, args ...any) (all []string) {
	d.t.Helper()
	err := d.Query(d.t.Context(), query, args, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		all = append(all, text)
		return err
	})
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return all
}

// objectColumns are the columns of a row of objects that newObject returns.
var objectColumns = []string{
	"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter", "created_at", "seen_at",
	"presence", "deleted_at", "version", "state", "raw_state", "reason", "message", "since", "attributes_hash", "selector_hash", "keyframe_version", "deltas",
}

// newObject returns a row of objects.
func newObject(uid string) []any {
	zero := int64(0)
	return []any{int64(1), int64(1), "ml", "n-" + uid, uid, "", "", "", "", "", zero, zero, int16(0), zero, zero, "", "", "", "", zero, zero, zero, zero, int16(0)}
}

// createObjects inserts rows of objects.
func (d *database) createObjects(uids ...string) {
	d.t.Helper()
	var rows [][]any
	for _, uid := range uids {
		rows = append(rows, newObject(uid))
	}
	d.within(func(ctx context.Context, tx *sqldb.Tx) error { return tx.Insert(ctx, "objects", objectColumns, rows) })
}

// clusterRows returns n rows of clusters.
func clusterRows(n int) (rows [][]any) {
	for i := range n {
		rows = append(rows, []any{fmt.Sprintf("uid-%d", i), fmt.Sprintf("name-%d", i), int64(i)})
	}
	return rows
}

var clusterColumns = []string{"uid", "name", "seen_at"}

// errUndo rolls a transaction back.
var errUndo = errors.New("undo")

// exec runs a statement in its own transaction.
func (d *database) exec(statement string, args ...any) (changed int64) {
	d.t.Helper()
	d.within(func(ctx context.Context, tx *sqldb.Tx) (err error) {
		changed, err = tx.Exec(ctx, statement, args...)
		return err
	})
	return changed
}

// pause waits while time passes in the database.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
