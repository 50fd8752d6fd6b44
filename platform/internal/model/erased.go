package model

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Erased is an object that was erased, or that an erased object controls.
type Erased struct {
	UID    string
	Object int64 // row ID that was deleted; 0: there was no row
}

// InsertErased stores objects of a cluster as erased. It does not change objects that are
// stored.
func InsertErased(ctx context.Context, tx *sqldb.Tx, clusterUID string, all []Erased, at int64) error {
	rows := make([][]any, len(all))
	for i, e := range all {
		rows[i] = []any{e.UID, clusterUID, e.Object, at}
	}
	if err := tx.InsertNew(ctx, "erased_objects", []string{"uid", "cluster_uid", "object_id", "erased_at"}, rows, "uid"); err != nil {
		return fmt.Errorf("table erased_objects: %w", err)
	}
	return nil
}

// BeginErasing waits for the transactions that called FenceErasing. Transactions that call it
// later see what this one has stored as erased.
func BeginErasing(ctx context.Context, tx *sqldb.Tx) error {
	_, err := queryInts(ctx, tx, "SELECT id FROM clusters ORDER BY id"+tx.ForUpdate())
	return err
}

// FenceErasing makes BeginErasing wait until the transaction ends, and reports whether any
// object was erased.
func FenceErasing(ctx context.Context, tx *sqldb.Tx) (some bool, err error) {
	if _, err := queryInts(ctx, tx, "SELECT id FROM clusters ORDER BY id"+tx.ForShare()); err != nil {
		return false, fmt.Errorf("table clusters: %w", err)
	}
	found, err := queryInts(ctx, tx, "SELECT object_id FROM erased_objects LIMIT 1")
	if err != nil {
		return false, fmt.Errorf("table erased_objects: %w", err)
	}
	return len(found) > 0, nil
}

// ErasedAmong returns those of some UIDs that were erased in a cluster. An empty cluster
// stands for all.
func ErasedAmong(ctx context.Context, q sqldb.Querier, clusterUID string, uids []string) (map[string]bool, error) {
	all := map[string]bool{}
	for some := range slices.Chunk(uids, inChunk) {
		args := make([]any, len(some))
		for i, uid := range some {
			args[i] = uid
		}
		err := q.Query(ctx, "SELECT uid, cluster_uid FROM erased_objects WHERE uid IN "+sqldb.Placeholders(len(some)), args, func(rows *sql.Rows) error {
			var uid, cluster string
			err := rows.Scan(&uid, &cluster)
			if clusterUID == "" || cluster == clusterUID {
				all[uid] = true
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("table erased_objects: %w", err)
		}
	}
	return all, nil
}

// ErasedObjects returns those of some row IDs that belong to erased objects.
func ErasedObjects(ctx context.Context, q sqldb.Querier, ids []int64) (map[int64]bool, error) {
	all := map[int64]bool{}
	err := queryIn(ctx, q, "SELECT object_id FROM erased_objects WHERE object_id IN ", ids, "", func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		all[id] = id != 0
		return err
	})
	return all, err
}

// EachErased calls each for all erased objects.
func EachErased(ctx context.Context, q sqldb.Querier, each func(clusterUID, uid string)) error {
	return q.Query(ctx, "SELECT cluster_uid, uid FROM erased_objects", nil, func(rows *sql.Rows) error {
		var cluster, uid string
		err := rows.Scan(&cluster, &uid)
		each(cluster, uid)
		return err
	})
}
