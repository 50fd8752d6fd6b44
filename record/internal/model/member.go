package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/record/sqldb"
)

// ShardMember is a recorder that shares the work.
type ShardMember struct {
	ID               int64
	Name             string
	Beat             int64 // grows while the recorder is alive
	JoinedAt, SeenAt int64 // by the clock of the database, in microseconds
	Program          string
}

// InsertShardMember inserts a member. It returns its ID, or 0 if the name is taken.
func InsertShardMember(ctx context.Context, tx *sqldb.Tx, name, program string, now int64) (id int64, err error) {
	_, err = ShardMemberOf(ctx, tx, name)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	row := []any{name, int64(1), now, now, program}
	if err := tx.Insert(ctx, "shard_members", []string{"name", "beat", "joined_at", "seen_at", "program"}, [][]any{row}); err != nil {
		return 0, fmt.Errorf("table shard_members: %w", err)
	}
	return queryInt(ctx, tx, "SELECT id FROM shard_members WHERE name = ?", name)
}

// ShardMemberOf returns the member with a name.
//
// Errors: sql.ErrNoRows if there is none.
func ShardMemberOf(ctx context.Context, q sqldb.Querier, name string) (m ShardMember, err error) {
	err = q.QueryRow(ctx, "SELECT id, name, beat, joined_at, seen_at, program FROM shard_members WHERE name = ?", name).Scan(&m.ID, &m.Name, &m.Beat, &m.JoinedAt, &m.SeenAt, &m.Program)
	return m, err
}

// BeatShardMember shows that a member is alive. It returns false if the member was removed.
func BeatShardMember(ctx context.Context, tx *sqldb.Tx, id, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE shard_members SET beat = beat + 1, seen_at = ? WHERE id = ?", now, id)
	return n > 0, err
}

// DeleteShardMember removes a member, if beat is its last one, and with it all rights that
// the member has. It reports whether it did.
func DeleteShardMember(ctx context.Context, tx *sqldb.Tx, id, beat int64) (bool, error) {
	n, err := tx.Exec(ctx, "DELETE FROM shard_members WHERE id = ? AND beat = ?", id, beat)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Exec(ctx, "DELETE FROM shard_offers WHERE member_id = ?", id)
	return true, err
}

// ShardMembers returns all members, in the order of their IDs.
func ShardMembers(ctx context.Context, q sqldb.Querier) (all []ShardMember, err error) {
	err = q.Query(ctx, "SELECT id, name, beat, joined_at, seen_at, program FROM shard_members ORDER BY id", nil, func(rows *sql.Rows) error {
		var m ShardMember
		err := rows.Scan(&m.ID, &m.Name, &m.Beat, &m.JoinedAt, &m.SeenAt, &m.Program)
		all = append(all, m)
		return err
	})
	return all, err
}
