package modeltest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Database is a database with one cluster and one type.
type Database struct {
	*sqldb.DB
	Scope model.Scope
	t     testing.TB
}

// Open opens an empty database and creates the schema. The database is closed at the end of
// the test.
func Open(t testing.TB, url string) *Database {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &Database{DB: db, t: t}
	err = db.Transact(t.Context(), func(tx *sqldb.Tx) (err error) {
		if d.Scope.Cluster, err = model.EnsureCluster(t.Context(), tx, "uid-a", "a", time.Unix(1, 0)); err == nil {
			d.Scope.Resource, err = model.EnsureResource(t.Context(), tx, model.Type{Group: "batch", Resource: "jobs", Kind: "Job"})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Exec runs a statement in a separate transaction.
func (d *Database) Exec(statement string) {
	d.t.Helper()
	err := d.Transact(d.t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(d.t.Context(), statement)
		return err
	})
	if err != nil {
		d.t.Fatalf("%s: %v", statement, err)
	}
}

// Rows returns the rows of a query, with spaces between the columns.
func (d *Database) Rows(query string) (lines []string) {
	d.t.Helper()
	err := d.Query(d.t.Context(), query, nil, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		cells, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		var line []string
		for _, c := range cells {
			line = append(line, c.String)
		}
		lines = append(lines, strings.Join(line, " "))
		return nil
	})
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return lines
}

// Want fails the test if a query returns other rows.
func (d *Database) Want(query string, want ...string) {
	d.t.Helper()
	if got := d.Rows(query); !slices.Equal(got, want) {
		d.t.Errorf("%s\n got %q\nwant %q", query, got, want)
	}
}

// Until waits until a query returns some rows.
func (d *Database) Until(query string, want ...string) {
	d.t.Helper()
	patience.Until(d.t, query, func() string {
		if got := d.Rows(query); !slices.Equal(got, want) {
			return fmt.Sprintf("got %q, want %q", got, want)
		}
		return ""
	})
}

// Clear deletes everything except the cluster and the type.
func (d *Database) Clear() {
	d.t.Helper()
	for _, table := range []string{"transitions", "revisions", "labels", "jobs", "job_parts", "open_parts", model.IndexTable, "objects", "feed_outbox", "feed", "feed_cursors", "erased_objects"} {
		d.Exec("DELETE FROM " + table)
	}
	d.Exec("UPDATE feed_head SET position = 0, oldest = 0")
}

// Write stores revisions in one transaction, with a new encoder.
func (d *Database) Write(ctx context.Context, all []Revision) error {
	return d.WriteWith(ctx, bodies.NewEncoder(d.Scope.Resource, 1<<20), all)
}

// WriteWith is like Write, with the encoder of earlier calls.
func (d *Database) WriteWith(ctx context.Context, e *bodies.Encoder, all []Revision) error {
	return write(ctx, d.DB, d.Scope, e, all, func() error { return nil })
}

// WriteHeld is like Write, and calls hold between the last row and the commit.
func (d *Database) WriteHeld(ctx context.Context, all []Revision, hold func() error) error {
	return write(ctx, d.DB, d.Scope, bodies.NewEncoder(d.Scope.Resource, 1<<20), all, hold)
}

// Body returns the body of an object at a version.
func (d *Database) Body(ctx context.Context, uid string, version wire.Version) (body []byte, err error) {
	err = d.Transact(ctx, func(tx *sqldb.Tx) error {
		var object int64
		if err := tx.QueryRow(ctx, "SELECT id FROM objects WHERE uid = ?", uid).Scan(&object); err != nil {
			return err
		}
		body, err = new(bodies.Reader).Read(ctx, tx, object, version)
		return err
	})
	return body, err
}
