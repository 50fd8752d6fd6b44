package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// ScopeHeartbeat is the part of a heartbeat that belongs to one scope.
type ScopeHeartbeat struct {
	Scope
	BehindAt int64 // everything seen before is committed, in microseconds; 0: as for the recorder
	HeardAt  int64 // last frame or bookmark, in microseconds; 0: none yet
}

// BeginHeartbeats returns the ID of the row of a recorder and its last heartbeat, and inserts the row if necessary.
// The scopes of an earlier process of that name are behind since its last heartbeat.
func BeginHeartbeats(ctx context.Context, tx *sqldb.Tx, cluster int64, recorder string, now int64) (id, committed int64, err error) {
	err = tx.QueryRow(ctx, "SELECT id, committed_at FROM recorders WHERE cluster_id = ? AND name = ?", cluster, recorder).Scan(&id, &committed)
	if errors.Is(err, sql.ErrNoRows) {
		if err := tx.Insert(ctx, "recorders", []string{"cluster_id", "name", "committed_at", "renewed_at"}, [][]any{{cluster, recorder, now, now}}); err != nil {
			return 0, 0, err
		}
		id, err = queryInt(ctx, tx, "SELECT id FROM recorders WHERE cluster_id = ? AND name = ?", cluster, recorder)
		return id, now, err
	}
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE recorder_scopes SET behind_at = ? WHERE recorder_id = ? AND behind_at = 0", committed, id)
	}
	return id, committed, err
}

// RenewHeartbeat stores a heartbeat of a recorder after another one. It returns false if the row was
// removed, or has another heartbeat because the database was restored from a backup.
func RenewHeartbeat(ctx context.Context, tx *sqldb.Tx, id, before, committed, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE recorders SET committed_at = ?, renewed_at = ? WHERE id = ? AND committed_at = ?", committed, now, id, before)
	return n > 0, err
}

// StoredScopeHeartbeat returns the heartbeat that an earlier process stored for a scope of a
// recorder. found is false without a row.
func StoredScopeHeartbeat(ctx context.Context, q sqldb.Querier, id int64, s Scope) (h ScopeHeartbeat, found bool, err error) {
	h.Scope = s
	err = q.QueryRow(ctx, "SELECT behind_at, heard_at FROM recorder_scopes WHERE recorder_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?",
		id, s.Resource, s.Namespace, s.hash()).Scan(&h.BehindAt, &h.HeardAt)
	if errors.Is(err, sql.ErrNoRows) {
		return h, false, nil
	}
	return h, err == nil, err
}

// SetScopeHeartbeat stores the heartbeat of a scope of a recorder.
func SetScopeHeartbeat(ctx context.Context, tx *sqldb.Tx, id int64, h ScopeHeartbeat) error {
	n, err := tx.Exec(ctx, "UPDATE recorder_scopes SET behind_at = ?, heard_at = ? WHERE recorder_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?",
		h.BehindAt, h.HeardAt, id, h.Resource, h.Namespace, h.hash())
	if err != nil || n > 0 {
		return err
	}
	columns := []string{"recorder_id", "resource_id", "namespace", "selector_hash", "selectors", "uid_range", "behind_at", "heard_at"}
	row := []any{id, h.Resource, h.Namespace, h.hash(), h.Selectors, rangeNumber(h.UIDs), h.BehindAt, h.HeardAt}
	return tx.Insert(ctx, "recorder_scopes", columns, [][]any{row})
}

// DeleteScopeHeartbeats removes the scopes of a recorder that are not in keep.
func DeleteScopeHeartbeats[V any](ctx context.Context, tx *sqldb.Tx, id int64, keep map[Scope]V) error {
	kept := map[string]bool{}
	for s := range keep {
		kept[fmt.Sprint(s.Resource, s.Namespace, s.hash())] = true
	}
	var gone [][]any
	err := tx.Query(ctx, "SELECT resource_id, namespace, selector_hash FROM recorder_scopes WHERE recorder_id = ?", []any{id}, func(rows *sql.Rows) error {
		var resource, hash int64
		var namespace string
		err := rows.Scan(&resource, &namespace, &hash)
		if !kept[fmt.Sprint(resource, namespace, hash)] {
			gone = append(gone, []any{id, resource, namespace, hash})
		}
		return err
	})
	for i := 0; i < len(gone) && err == nil; i++ {
		_, err = tx.Exec(ctx, "DELETE FROM recorder_scopes WHERE recorder_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?", gone[i]...)
	}
	return err
}

// DeleteDeadHeartbeats removes what other recorders said of a scope that one recorder covers:
// the scope of each recorder without a heartbeat since a time, and the rows of recorders
// without scopes.
func DeleteDeadHeartbeats(ctx context.Context, tx *sqldb.Tx, id int64, s Scope, since int64) error {
	const dead = "(SELECT id FROM recorders WHERE cluster_id = ? AND id <> ? AND renewed_at < ?)"
	n, err := tx.Exec(ctx, "DELETE FROM recorder_scopes WHERE resource_id = ? AND namespace = ? AND selector_hash = ? AND recorder_id IN "+dead,
		s.Resource, s.Namespace, s.hash(), s.Cluster, id, since)
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "DELETE FROM recorders WHERE cluster_id = ? AND id <> ? AND renewed_at < ? AND NOT EXISTS (SELECT 1 FROM recorder_scopes s WHERE s.recorder_id = recorders.id)",
		s.Cluster, id, since)
	return err
}

// HeartbeatRow is the heartbeat of a recorder for one scope, with names.
type HeartbeatRow struct {
	Cluster, ClusterUID             string
	Type                            Type
	Namespace                       string
	Selectors                       int64
	UIDs                            wire.UIDRange
	Recorder                        string
	CommittedAt, RenewedAt, HeardAt int64
}

// EachHeartbeat calls each for the scopes of all recorders, ordered by cluster, type,
// namespace and selectors.
func EachHeartbeat(ctx context.Context, q sqldb.Querier, each func(HeartbeatRow)) error {
	return q.Query(ctx, "SELECT c.name, c.uid, t.api_group, t.name, t.kind, s.namespace, s.selectors, s.uid_range, r.name,"+
		" CASE WHEN s.behind_at = 0 THEN r.committed_at ELSE s.behind_at END, r.renewed_at, s.heard_at"+
		" FROM recorders r JOIN recorder_scopes s ON s.recorder_id = r.id JOIN clusters c ON c.id = r.cluster_id JOIN resources t ON t.id = s.resource_id"+
		" ORDER BY c.name, c.uid, t.name, t.api_group, s.namespace, s.selectors, r.name", nil, func(rows *sql.Rows) error {
		var h HeartbeatRow
		var uids int16
		err := rows.Scan(&h.Cluster, &h.ClusterUID, &h.Type.Group, &h.Type.Resource, &h.Type.Kind, &h.Namespace, &h.Selectors, &uids, &h.Recorder, &h.CommittedAt, &h.RenewedAt, &h.HeardAt)
		h.UIDs = rangeOf(uids)
		each(h)
		return err
	})
}
