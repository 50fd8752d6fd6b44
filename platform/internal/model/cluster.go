package model

import (
	"context"
	"errors"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// EnsureCluster returns the row ID of the cluster that has a UID. It inserts a new cluster
// with its name.
func EnsureCluster(ctx context.Context, tx *sqldb.Tx, uid, name string, seen time.Time) (int64, error) {
	return ensureRow(ctx, tx, "clusters", []string{"uid"}, []string{"name", "seen_at"}, uid, name, Micros(seen))
}

// RenameCluster stores the name of a cluster, and the time of its answer.
func RenameCluster(ctx context.Context, tx *sqldb.Tx, id int64, name string, seen time.Time) error {
	_, err := tx.Exec(ctx, "UPDATE clusters SET name = ?, seen_at = ? WHERE id = ?", name, Micros(seen), id)
	return err
}

// ClusterIDs returns the row IDs of the clusters that have a name or a UID. A replaced
// cluster shares its name with its replacement.
func ClusterIDs(ctx context.Context, q sqldb.Querier, nameOrUID string) ([]int64, error) {
	return queryInts(ctx, q, "SELECT id FROM clusters WHERE name = ? OR uid = ?", nameOrUID, nameOrUID)
}

// ClusterID returns the row ID of the cluster that has a UID.
//
// Errors: sql.ErrNoRows if the cluster is not recorded.
func ClusterID(ctx context.Context, q sqldb.Querier, uid string) (int64, error) {
	return queryInt(ctx, q, "SELECT id FROM clusters WHERE uid = ?", uid)
}

// errUndone rolls a transaction back.
var errUndone = errors.New("undone")

// TryWrite checks that the program has the right to write. It inserts a cluster and rolls
// the transaction back.
func TryWrite(ctx context.Context, db *sqldb.DB) error {
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		row := []any{"vedette-doctor", "", int64(0)}
		if err := tx.InsertNew(ctx, "clusters", []string{"uid", "name", "seen_at"}, [][]any{row}, "uid"); err != nil {
			return err
		}
		return errUndone
	})
	if errors.Is(err, errUndone) {
		return nil
	}
	return db.Explain(err)
}

// ClusterUID returns the UID of a cluster.
func ClusterUID(ctx context.Context, q sqldb.Querier, id int64) (uid string, err error) {
	err = q.QueryRow(ctx, "SELECT uid FROM clusters WHERE id = ?", id).Scan(&uid)
	return uid, err
}
