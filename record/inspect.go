package record

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TryWrite writes a row into the schema, and takes it back.
//
// Errors: what the database says.
func (d *Database) TryWrite(ctx context.Context) error {
	undone := errors.New("undone")
	err := d.within(ctx, func(tx *sql.Tx) error {
		row := []any{"vedette-doctor", "", int64(0)}
		if err := d.insertAll(ctx, tx, "clusters", []string{"uid", "name", "seen_at"}, [][]any{row}, "uid"); err != nil {
			return err
		}
		return undone
	})
	if err == undone {
		return nil
	}
	return d.Explain(err)
}

// Resume is where a recorder of a target begins.
type Resume struct {
	// Version is up to where everything was seen; 0: it begins with a list.
	Version wire.Version
	// At is when that was written.
	At time.Time
}

// ResumeOf returns where a recorder of a target would begin. cluster is the UID of its
// namespace kube-system, r what the type of the target is there.
//
// Errors: what the database says.
func (d *Database) ResumeOf(ctx context.Context, cluster string, r kube.Resource, t Target) (from Resume, err error) {
	p := place{namespace: t.Namespace, selectors: selectorHash(t)}
	row := d.SQL().QueryRowContext(ctx, d.Rebind("SELECT c.id, r.id FROM clusters c, resources r WHERE c.uid = ? AND r.api_group = ? AND r.name = ?"),
		cluster, r.Group, r.Name)
	switch err := row.Scan(&p.cluster, &p.resource); {
	case errors.Is(err, sql.ErrNoRows):
		return from, nil
	case err != nil:
		return from, d.Explain(err)
	}
	from.Version, from.At, err = d.resume(ctx, p)
	return from, d.Explain(err)
}
