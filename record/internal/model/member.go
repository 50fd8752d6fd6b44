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

// Join inserts a member. It returns its ID, or 0 if the name is taken.
func (c ShardChange) Join(ctx context.Context, name, program string, now int64) (id int64, err error) {
	_, err = ShardMemberOf(ctx, c.tx, name)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	row := []any{name, int64(1), now, now, program}
	if err := c.tx.Insert(ctx, "shard_members", []string{"name", "beat", "joined_at", "seen_at", "program"}, [][]any{row}); err != nil {
		return 0, fmt.Errorf("table shard_members: %w", err)
	}
	return queryInt(ctx, c.tx, "SELECT id FROM shard_members WHERE name = ?", name)
}

// ShardMemberOf returns the member with a name.
//
// Errors: sql.ErrNoRows if no member has this name.
func ShardMemberOf(ctx context.Context, q sqldb.Querier, name string) (m ShardMember, err error) {
	err = q.QueryRow(ctx, "SELECT id, name, beat, joined_at, seen_at, program FROM shard_members WHERE name = ?", name).Scan(&m.ID, &m.Name, &m.Beat, &m.JoinedAt, &m.SeenAt, &m.Program)
	return m, err
}

// BeatShardMember shows that a member is alive. It returns false if the member was removed.
func BeatShardMember(ctx context.Context, tx *sqldb.Tx, id, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE shard_members SET beat = beat + 1, seen_at = ? WHERE id = ?", now, id)
	return n > 0, err
}

// Remove removes a member, if beat is its last one, and with it all rights that the member
// has.
func (c ShardChange) Remove(ctx context.Context, member, beat int64) error {
	n, err := c.tx.Exec(ctx, "DELETE FROM shard_members WHERE id = ? AND beat = ?", member, beat)
	if err != nil || n == 0 {
		return err
	}
	_, err = c.tx.Exec(ctx, "DELETE FROM shard_offers WHERE member_id = ?", member)
	return err
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
