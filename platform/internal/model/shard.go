package model

import (
	"context"
	"database/sql"
	"fmt"
	"math/bits"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// ShardVersion returns the version of the tables of shards.
func ShardVersion(ctx context.Context, q sqldb.Querier) (version int64, err error) {
	err = q.QueryRow(ctx, "SELECT version FROM shard_head WHERE id = 1").Scan(&version)
	return version, err
}

// ShardChange is a transaction that changes the tables of shards.
type ShardChange struct {
	tx      *sqldb.Tx
	version int64 // of the rows that it changes
}

// ChangeShards begins a change of the tables of shards. It must be the first statement of a
// transaction: until the transaction ends, no other one changes these tables.
func ChangeShards(ctx context.Context, tx *sqldb.Tx) (c ShardChange, err error) {
	if _, err := tx.Exec(ctx, "UPDATE shard_head SET version = version + 1 WHERE id = 1"); err != nil {
		return c, err
	}
	c = ShardChange{tx: tx}
	c.version, err = ShardVersion(ctx, tx)
	return c, err
}

// Tx returns the transaction of the change.
func (c ShardChange) Tx() *sqldb.Tx { return c.tx }

// Shard is a row of the table of shards.
type Shard struct {
	ID   int64
	Load int64 // revisions a minute
}

var shardColumns = []string{"cluster_id", "resource_id", "namespace", "selector_hash", "uid_range", "load_value", "changed"}

// Ensure returns the row ID of a shard, and inserts the row if necessary.
func (c ShardChange) Ensure(ctx context.Context, s Scope) (id int64, err error) {
	if err := c.tx.InsertNew(ctx, "shards", shardColumns, [][]any{s.args(rangeNumber(s.UIDs), int64(0), c.version)}, "namespace"); err != nil {
		return 0, fmt.Errorf("table shards: %w", err)
	}
	return queryInt(ctx, c.tx, "SELECT id FROM shards WHERE "+inScope, s.args()...)
}

// rangeNumber returns the number of a UID range in the column uid_range.
func rangeNumber(r wire.UIDRange) int16 {
	if r.IsAll() {
		return 0
	}
	return int16(r.Count + r.Index)
}

// rangeOf is the inverse of rangeNumber.
func rangeOf(number int16) wire.UIDRange {
	if number < 2 {
		return wire.UIDRange{}
	}
	count := 1 << (bits.Len16(uint16(number)) - 1)
	return wire.UIDRange{Index: int(number) - count, Count: count}
}

// SetLoad stores the load of a shard.
func (c ShardChange) SetLoad(ctx context.Context, shard, load int64) error {
	_, err := c.tx.Exec(ctx, "UPDATE shards SET load_value = ?, changed = ? WHERE id = ?", load, c.version, shard)
	return err
}

// EachShard calls each for the shards that have changed since a version.
func EachShard(ctx context.Context, q sqldb.Querier, since int64, each func(Shard)) error {
	return q.Query(ctx, "SELECT id, load_value FROM shards WHERE changed > ?", []any{since}, func(rows *sql.Rows) error {
		var s Shard
		if err := rows.Scan(&s.ID, &s.Load); err != nil {
			return err
		}
		each(s)
		return nil
	})
}

// Values of the column held.
const (
	withdrawn int16 = iota - 1
	offered
	held
)

// ShardOffer is a row of the table of offers.
type ShardOffer struct {
	Shard, Member          int64
	Held, Ready, Withdrawn bool
	HeldAt                 int64 // in microseconds
}

var offerColumns = []string{"shard_id", "member_id", "held", "ready", "held_at", "changed", "batches"}

// Offer inserts the offer of a member to record a shard. A shard that the member holds stays
// held: another target of the same process may be the same shard.
func (c ShardChange) Offer(ctx context.Context, shard, member int64) error {
	err := c.tx.InsertNew(ctx, "shard_offers", offerColumns, [][]any{{shard, member, offered, int16(0), int64(0), c.version, int64(0)}}, "shard_id")
	if err != nil {
		return fmt.Errorf("table shard_offers: %w", err)
	}
	_, err = c.tx.Exec(ctx, "UPDATE shard_offers SET held = ?, ready = 0, held_at = 0, changed = ? WHERE shard_id = ? AND member_id = ? AND held = ?",
		offered, c.version, shard, member, withdrawn)
	return err
}

// Withdraw ends the offer of a member, and with it the member's right to write.
func (c ShardChange) Withdraw(ctx context.Context, shard, member int64) error {
	return c.set(ctx, shard, member, withdrawn, 0)
}

// Hold makes a member a holder of a shard that it offers.
func (c ShardChange) Hold(ctx context.Context, shard, member, now int64) error {
	return c.set(ctx, shard, member, held, now)
}

// Release ends the right of a member to write the revisions of a shard.
func (c ShardChange) Release(ctx context.Context, shard, member int64) error {
	return c.set(ctx, shard, member, offered, 0)
}

func (c ShardChange) set(ctx context.Context, shard, member int64, state int16, at int64) error {
	_, err := c.tx.Exec(ctx, "UPDATE shard_offers SET held = ?, ready = 0, held_at = ?, changed = ? WHERE shard_id = ? AND member_id = ?", state, at, c.version, shard, member)
	return err
}

// SetReady stores whether a holder has caught up.
func (c ShardChange) SetReady(ctx context.Context, shard, member int64, ready bool) error {
	value := int16(0)
	if ready {
		value = 1
	}
	_, err := c.tx.Exec(ctx, "UPDATE shard_offers SET ready = ?, changed = ? WHERE shard_id = ? AND member_id = ? AND held = ?", value, c.version, shard, member, held)
	return err
}

// Holders returns the number of holders of a shard.
func (c ShardChange) Holders(ctx context.Context, shard int64) (int, error) {
	n, err := queryInt(ctx, c.tx, "SELECT COUNT(*) FROM shard_offers WHERE shard_id = ? AND held = ?", shard, held)
	return int(n), err
}

// FenceShard checks that a member holds a shard, in the transaction that writes. It changes
// the row, so the transaction conflicts with the removal of the member, on any database.
func FenceShard(ctx context.Context, tx *sqldb.Tx, shard, member int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE shard_offers SET batches = batches + 1 WHERE shard_id = ? AND member_id = ? AND held = 1", shard, member)
	return n > 0, err
}

// EachShardOffer calls each for the offers that have changed since a version. The offers of
// removed members are gone, and are not among them.
func EachShardOffer(ctx context.Context, q sqldb.Querier, since int64, each func(ShardOffer)) error {
	return q.Query(ctx, "SELECT shard_id, member_id, held, ready, held_at FROM shard_offers WHERE changed > ?", []any{since}, func(rows *sql.Rows) error {
		var o ShardOffer
		var state, ready int16
		if err := rows.Scan(&o.Shard, &o.Member, &state, &ready, &o.HeldAt); err != nil {
			return err
		}
		o.Held, o.Ready, o.Withdrawn = state == held, ready != 0, state == withdrawn
		each(o)
		return nil
	})
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
	Selected            bool          // it has selectors
	UIDs                wire.UIDRange // all if the target is not divided
	Load                int64
	CoveredAt           int64 // time when the last revisions were stored, in microseconds; 0: never
}

// EachListedShard calls each for all shards that somebody offers, ordered by cluster, type,
// namespace and UID range.
func EachListedShard(ctx context.Context, q sqldb.Querier, each func(ListedShard)) error {
	const query = "SELECT s.id, c.name, c.uid, r.api_group, r.name, r.kind, s.namespace, s.selector_hash, s.uid_range, s.load_value," +
		" (SELECT COALESCE(MAX(v.to_at), 0) FROM coverage v WHERE v.cluster_id = s.cluster_id AND v.resource_id = s.resource_id AND v.namespace = s.namespace AND v.selector_hash = s.selector_hash)" +
		" FROM shards s JOIN clusters c ON c.id = s.cluster_id JOIN resources r ON r.id = s.resource_id" +
		" WHERE EXISTS (SELECT 1 FROM shard_offers o WHERE o.shard_id = s.id AND o.held >= 0) ORDER BY c.name, c.uid, r.name, r.api_group, s.namespace, s.uid_range, s.id"
	return q.Query(ctx, query, nil, func(rows *sql.Rows) error {
		var s ListedShard
		var hash int64
		var number int16
		if err := rows.Scan(&s.ID, &s.Cluster, &s.ClusterUID, &s.Type.Group, &s.Type.Resource, &s.Type.Kind, &s.Namespace, &hash, &number, &s.Load, &s.CoveredAt); err != nil {
			return err
		}
		s.UIDs = rangeOf(number)
		s.Selected = hash != (Scope{UIDs: s.UIDs}).hash()
		each(s)
		return nil
	})
}
