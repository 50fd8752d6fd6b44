package model

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// CoveredScope is the newest coverage of a scope by one recorder, with the names of its cluster
// and its type.
type CoveredScope struct {
	Cluster, ClusterUID string
	Type                Type
	Namespace, Recorder string
	To                  wire.Version
	FromAt, ToAt        int64
}

// EachCoveredScope calls each for all coverage, ordered by cluster, type, namespace,
// recorder and the time of the end.
func EachCoveredScope(ctx context.Context, q sqldb.Querier, each func(CoveredScope)) error {
	return q.Query(ctx, "SELECT c.name, c.uid, r.api_group, r.name, r.kind, v.namespace, v.recorder, v.to_version, v.from_at, v.to_at"+
		" FROM coverage v JOIN resources r ON r.id = v.resource_id JOIN clusters c ON c.id = v.cluster_id"+
		" ORDER BY c.name, c.uid, r.name, r.api_group, v.namespace, v.recorder, v.to_at, v.id", nil, func(rows *sql.Rows) error {
		var s CoveredScope
		var to int64
		if err := rows.Scan(&s.Cluster, &s.ClusterUID, &s.Type.Group, &s.Type.Resource, &s.Type.Kind, &s.Namespace, &s.Recorder, &to, &s.FromAt, &s.ToAt); err != nil {
			return err
		}
		s.To = wire.Version(to)
		each(s)
		return nil
	})
}

// EachPresent calls each for all clusters and types with the number of existing objects. It
// reads the entire index of presences.
func EachPresent(ctx context.Context, q sqldb.Querier, each func(clusterUID string, of Type, objects int)) error {
	return q.Query(ctx, "SELECT c.uid, r.api_group, r.name, r.kind, n.objects FROM"+
		" (SELECT cluster_id, resource_id, COUNT(*) AS objects FROM objects WHERE presence = ? GROUP BY cluster_id, resource_id) n"+
		" JOIN resources r ON r.id = n.resource_id JOIN clusters c ON c.id = n.cluster_id", []any{int16(Present)}, func(rows *sql.Rows) error {
		var uid string
		var of Type
		var n int
		if err := rows.Scan(&uid, &of.Group, &of.Resource, &of.Kind, &n); err != nil {
			return err
		}
		each(uid, of, n)
		return nil
	})
}

// EachPresentBytes calls each for all clusters and types with the size of the last bodies
// of existing objects, in bytes. It reads one row for each object.
func EachPresentBytes(ctx context.Context, q sqldb.Querier, each func(clusterUID string, of Type, size int64)) error {
	return q.Query(ctx, "SELECT c.uid, r.api_group, r.name, r.kind, n.size FROM"+
		" (SELECT o.cluster_id, o.resource_id, SUM(v.size) AS size FROM objects o JOIN revisions v ON v.object_id = o.id AND v.version = o.version WHERE o.presence = ? GROUP BY o.cluster_id, o.resource_id) n"+
		" JOIN resources r ON r.id = n.resource_id JOIN clusters c ON c.id = n.cluster_id", []any{int16(Present)}, func(rows *sql.Rows) error {
		var uid string
		var of Type
		var size int64
		if err := rows.Scan(&uid, &of.Group, &of.Resource, &of.Kind, &size); err != nil {
			return err
		}
		each(uid, of, size)
		return nil
	})
}

// CountUnwatched returns the number of transitions of a type within an interval in
// microseconds that were found by a list or inferred. An empty namespace means all
// namespaces.
func CountUnwatched(ctx context.Context, q sqldb.Querier, clusterUID string, of Type, namespace string, from, to int64) (n int, err error) {
	query := "SELECT COUNT(*) FROM transitions t JOIN objects o ON o.id = t.object_id JOIN resources r ON r.id = o.resource_id JOIN clusters c ON c.id = o.cluster_id" +
		" WHERE t.happened_at > ? AND t.happened_at <= ? AND t.source <> ? AND c.uid = ? AND r.api_group = ? AND r.name = ?"
	args := []any{from, to, int16(Watched), clusterUID, of.Group, of.Resource}
	if namespace != "" {
		query, args = query+" AND o.namespace = ?", append(args, namespace)
	}
	err = q.Query(ctx, query, args, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// EachRecent calls each for the transitions of the feed after a position, in the order of
// the feed, with the times when the sequencer saw the row and the recorder saw the
// revision. seen is 0 for a withdrawn transition.
func EachRecent(ctx context.Context, q sqldb.Querier, after int64, each func(clusterUID string, of Type, recorded, seen int64)) error {
	return q.Query(ctx, "SELECT c.uid, r.api_group, r.name, r.kind, f.recorded_at, COALESCE(t.seen_at, 0) FROM feed f"+
		" JOIN objects o ON o.id = f.object_id JOIN resources r ON r.id = o.resource_id JOIN clusters c ON c.id = o.cluster_id"+
		" LEFT JOIN transitions t ON t.object_id = f.object_id AND t.version = f.version WHERE f.position > ? AND f.kind = ? ORDER BY f.position", []any{after, int16(FeedNew)}, func(rows *sql.Rows) error {
		var uid string
		var of Type
		var recorded, seen int64
		if err := rows.Scan(&uid, &of.Group, &of.Resource, &of.Kind, &recorded, &seen); err != nil {
			return err
		}
		each(uid, of, recorded, seen)
		return nil
	})
}

// CountOutbox returns the number of transitions that wait for a position in the feed.
func CountOutbox(ctx context.Context, q sqldb.Querier) (int64, error) {
	return queryInt(ctx, q, "SELECT COUNT(*) FROM feed_outbox")
}
