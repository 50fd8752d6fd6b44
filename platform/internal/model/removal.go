package model

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Removed counts the rows of removed objects. Bytes is the size of their bodies.
type Removed struct{ Objects, Revisions, Transitions, Bytes int64 }

// RemoveObjects deletes objects with all rows of the history that refer to them, except
// positions of the feed.
func RemoveObjects(ctx context.Context, tx *sqldb.Tx, ids []int64) (r Removed, err error) {
	if r.Bytes, err = BodyBytes(ctx, tx, ids); err != nil {
		return r, err
	}
	for _, id := range ids {
		if err := Unindex(ctx, tx, id); err != nil {
			return r, err
		}
	}
	if r.Revisions, err = DeleteRevisionsOf(ctx, tx, ids); err != nil {
		return r, err
	}
	if r.Transitions, err = DeleteTransitionsOf(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteLabels(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteJobs(ctx, tx, ids); err != nil {
		return r, err
	}
	if err := DeleteParts(ctx, tx, ids); err != nil {
		return r, err
	}
	r.Objects, err = DeleteObjects(ctx, tx, ids)
	return r, err
}

// CountRows returns the number of rows of a table that refer to some objects.
func CountRows(ctx context.Context, q sqldb.Querier, table string, ids []int64) (n int64, err error) {
	column := "object_id"
	if table == "objects" {
		column = "id"
	}
	err = queryIn(ctx, q, "SELECT COUNT(*) FROM "+table+" WHERE "+column+" IN ", ids, "", func(rows *sql.Rows) error {
		var some int64
		err := rows.Scan(&some)
		n += some
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("table %s: %w", table, err)
	}
	return n, nil
}

// ObjectsOwnedBy returns the row IDs of the objects of a cluster whose controller has one of some
// UIDs.
func ObjectsOwnedBy(ctx context.Context, q sqldb.Querier, cluster int64, uids []string) (ids []int64, err error) {
	terms := make([]Term, len(uids))
	owner := map[string]bool{}
	for i, uid := range uids {
		terms[i], owner[uid] = termOf(byOwnerUID, "", uid), true
	}
	var maybe []int64
	for some := range slices.Chunk(terms, 200) {
		found, err := ObjectsWithTerms(ctx, q, some, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		maybe = append(maybe, found...)
	}
	err = queryIn(ctx, q, "SELECT id, owner_uid FROM objects WHERE cluster_id = ? AND id IN ", maybe, "", func(rows *sql.Rows) error {
		var id int64
		var uid string
		err := rows.Scan(&id, &uid)
		if owner[uid] {
			ids = append(ids, id)
		}
		return err
	}, cluster)
	return ids, err
}

// ObjectsOfType returns the objects of a cluster and a type in a namespace, without reading
// anything else about them.
func ObjectsOfType(ctx context.Context, q sqldb.Querier, cluster, resource int64, namespace string) (all []RevisionID, err error) {
	err = q.Query(ctx, "SELECT id, version FROM objects WHERE cluster_id = ? AND resource_id = ? AND namespace = ?", []any{cluster, resource, namespace}, scanRevisionIDs(func(id RevisionID) { all = append(all, id) }))
	return all, err
}
