package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/record/sqldb"
)

// ShardVersion returns the version of the tables of shards.
func ShardVersion(ctx context.Context, q sqldb.Querier) (version int64, err error) {
	err = q.QueryRow(ctx, "SELECT version FROM shard_head WHERE id = 1").Scan(&version)
	return version, err
}

// ChangeShards increases the version of the tables of shards. It must be the first statement
// of a transaction that changes them: until the transaction ends, no other one reads or
// changes these tables after it.
func ChangeShards(ctx context.Context, tx *sqldb.Tx) error {
	_, err := tx.Exec(ctx, "UPDATE shard_head SET version = version + 1 WHERE id = 1")
	return err
}

// Shard is a row of the table of shards.
type Shard struct {
	ID int64
	Scope
	Load int64 // revisions a minute
}

var shardColumns = []string{"cluster_id", "resource_id", "namespace", "selector_hash", "load_value"}

// EnsureShard returns the row ID of a shard, and inserts the row if necessary.
func EnsureShard(ctx context.Context, tx *sqldb.Tx, s Scope) (id int64, err error) {
	if err := tx.InsertNew(ctx, "shards", shardColumns, [][]any{s.args(int64(0))}, "namespace"); err != nil {
		return 0, fmt.Errorf("table shards: %w", err)
	}
	return queryInt(ctx, tx, "SELECT id FROM shards WHERE "+inScope, s.args()...)
}

// SetShardLoad stores the load of a shard.
func SetShardLoad(ctx context.Context, tx *sqldb.Tx, shard, load int64) error {
	_, err := tx.Exec(ctx, "UPDATE shards SET load_value = ? WHERE id = ?", load, shard)
	return err
}

// Shards returns all shards that somebody offers, in the order of their IDs.
func Shards(ctx context.Context, q sqldb.Querier) (all []Shard, err error) {
	const query = "SELECT id, cluster_id, resource_id, namespace, selector_hash, load_value FROM shards s" +
		" WHERE EXISTS (SELECT 1 FROM shard_offers o WHERE o.shard_id = s.id) ORDER BY id"
	err = q.Query(ctx, query, nil, func(rows *sql.Rows) error {
		var s Shard
		err := rows.Scan(&s.ID, &s.Cluster, &s.Resource, &s.Namespace, &s.Selectors, &s.Load)
		all = append(all, s)
		return err
	})
	return all, err
}

// ShardOffer is a row of the table of offers.
type ShardOffer struct {
	Shard, Member int64
	Held, Ready   bool
	HeldAt        int64 // in microseconds
}

// InsertShardOffer inserts the offer of a member to record a shard, unless it exists.
func InsertShardOffer(ctx context.Context, tx *sqldb.Tx, shard, member int64) error {
	return tx.InsertNew(ctx, "shard_offers", []string{"shard_id", "member_id", "held", "ready", "held_at", "batches"}, [][]any{{shard, member, int16(0), int16(0), int64(0), int64(0)}}, "shard_id")
}

// DeleteShardOffer deletes the offer of a member, and with it the member's right to write.
func DeleteShardOffer(ctx context.Context, tx *sqldb.Tx, shard, member int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM shard_offers WHERE shard_id = ? AND member_id = ?", shard, member)
	return err
}

// HoldShard makes a member a holder of a shard. It returns false if the member does not
// offer the shard.
func HoldShard(ctx context.Context, tx *sqldb.Tx, shard, member, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE shard_offers SET held = 1, ready = 0, held_at = ? WHERE shard_id = ? AND member_id = ?", now, shard, member)
	return n > 0, err
}

// ReleaseShard ends the right of a member to write the revisions of a shard.
func ReleaseShard(ctx context.Context, tx *sqldb.Tx, shard, member int64) error {
	_, err := tx.Exec(ctx, "UPDATE shard_offers SET held = 0, ready = 0, held_at = 0 WHERE shard_id = ? AND member_id = ?", shard, member)
	return err
}

// SetShardReady stores whether a holder has caught up.
func SetShardReady(ctx context.Context, tx *sqldb.Tx, shard, member int64, ready bool) error {
	value := int16(0)
	if ready {
		value = 1
	}
	_, err := tx.Exec(ctx, "UPDATE shard_offers SET ready = ? WHERE shard_id = ? AND member_id = ? AND held = 1", value, shard, member)
	return err
}

// FenceShard checks that a member holds a shard, in the transaction that writes. It changes
// the row, so the transaction conflicts with the removal of the member, on any database.
func FenceShard(ctx context.Context, tx *sqldb.Tx, shard, member int64) (held bool, err error) {
	n, err := tx.Exec(ctx, "UPDATE shard_offers SET batches = batches + 1 WHERE shard_id = ? AND member_id = ? AND held = 1", shard, member)
	return n > 0, err
}

// ShardOffers returns all offers, in the order of their shards and members.
func ShardOffers(ctx context.Context, q sqldb.Querier) (all []ShardOffer, err error) {
	err = q.Query(ctx, "SELECT shard_id, member_id, held, ready, held_at FROM shard_offers ORDER BY shard_id, member_id", nil, func(rows *sql.Rows) error {
		var o ShardOffer
		var held, ready int
		err := rows.Scan(&o.Shard, &o.Member, &held, &ready, &o.HeldAt)
		o.Held, o.Ready = held != 0, ready != 0
		all = append(all, o)
		return err
	})
	return all, err
}

// CountShardHolders returns the number of holders of a shard.
func CountShardHolders(ctx context.Context, q sqldb.Querier, shard int64) (int, error) {
	n, err := queryInt(ctx, q, "SELECT COUNT(*) FROM shard_offers WHERE shard_id = ? AND held = 1", shard)
	return int(n), err
}

// EndGapsOfFormerHolders ends the lasting gaps that recorders began in a scope and cannot
// end, because they no longer hold its shard. The gaps are healed: a new holder continues
// at the end of the coverage, or has written a gap of its own.
func EndGapsOfFormerHolders(ctx context.Context, tx *sqldb.Tx, s Scope, shard, now int64) error {
	_, err := tx.Exec(ctx, "UPDATE gaps SET to_version = from_version, to_at = ?, healed_at = ? WHERE "+inScope+" AND "+lasting+
		" AND recorder NOT IN (SELECT m.name FROM shard_members m JOIN shard_offers o ON o.member_id = m.id WHERE o.shard_id = ? AND o.held = 1)",
		append([]any{now, now}, s.args(shard)...)...)
	return err
}

// ListedShard is a shard with the names of its cluster and its type.
type ListedShard struct {
	ID                  int64
	Cluster, ClusterUID string
	Type                Type
	Namespace           string
	Selectors           int64
	Load                int64
	CoveredAt           int64 // time when the last revisions were stored, in microseconds; 0: never
}

// EachListedShard calls each for all shards that somebody offers, ordered by cluster, type
// and namespace.
func EachListedShard(ctx context.Context, q sqldb.Querier, each func(ListedShard)) error {
	const query = "SELECT s.id, c.name, c.uid, r.api_group, r.name, r.kind, s.namespace, s.selector_hash, s.load_value," +
		" (SELECT COALESCE(MAX(v.to_at), 0) FROM coverage v WHERE v.cluster_id = s.cluster_id AND v.resource_id = s.resource_id AND v.namespace = s.namespace AND v.selector_hash = s.selector_hash)" +
		" FROM shards s JOIN clusters c ON c.id = s.cluster_id JOIN resources r ON r.id = s.resource_id" +
		" WHERE EXISTS (SELECT 1 FROM shard_offers o WHERE o.shard_id = s.id) ORDER BY c.name, c.uid, r.name, r.api_group, s.namespace, s.id"
	return q.Query(ctx, query, nil, func(rows *sql.Rows) error {
		var s ListedShard
		if err := rows.Scan(&s.ID, &s.Cluster, &s.ClusterUID, &s.Type.Group, &s.Type.Resource, &s.Type.Kind, &s.Namespace, &s.Selectors, &s.Load, &s.CoveredAt); err != nil {
			return err
		}
		each(s)
		return nil
	})
}
