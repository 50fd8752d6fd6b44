package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// ShardMember is a recorder that shares the work.
type ShardMember struct {
	ID               int64
	Name             string
	Beat             int64 // grows while the recorder is alive
	Silent           int64 // how long observers have seen Beat stand still, in microseconds
	Lease            int64 // in microseconds
	Namelock         string
	JoinedAt, SeenAt int64 // by the clock of the database, in microseconds
	Program          string
}

const memberColumns = "id, name, beat, silent, lease, namelock, joined_at, seen_at, program"

func (m *ShardMember) fields() []any {
	return []any{&m.ID, &m.Name, &m.Beat, &m.Silent, &m.Lease, &m.Namelock, &m.JoinedAt, &m.SeenAt, &m.Program}
}

// Join inserts a member with its name, lease, lock and program. It returns its ID, or 0 if the
// name is taken.
func (c ShardChange) Join(ctx context.Context, m ShardMember, now int64) (id int64, err error) {
	_, err = ShardMemberOf(ctx, c.tx, m.Name)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	row := []any{m.Name, int64(1), int64(0), m.Lease, m.Namelock, now, now, m.Program}
	if err := c.tx.Insert(ctx, "shard_members", []string{"name", "beat", "silent", "lease", "namelock", "joined_at", "seen_at", "program"}, [][]any{row}); err != nil {
		return 0, fmt.Errorf("table shard_members: %w", err)
	}
	return queryInt(ctx, c.tx, "SELECT id FROM shard_members WHERE name = ?", m.Name)
}

// ShardMemberOf returns the member with a name.
//
// Errors: sql.ErrNoRows if no member has this name.
func ShardMemberOf(ctx context.Context, q sqldb.Querier, name string) (m ShardMember, err error) {
	err = q.QueryRow(ctx, "SELECT "+memberColumns+" FROM shard_members WHERE name = ?", name).Scan(m.fields()...)
	return m, err
}

// BeatShardMember shows that a member is alive. It returns false if the member was removed. After a
// restore of the database, its ID may be that of a member with another name.
func BeatShardMember(ctx context.Context, tx *sqldb.Tx, id int64, name string, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE shard_members SET beat = beat + 1, silent = 0, seen_at = ? WHERE id = ? AND name = ?", now, id, name)
	return n > 0, err
}

// RaiseSilence stores that observers have seen the beat of a member stand still for a time in
// all, in microseconds. It has no effect if the member has given a sign of life since m was read,
// or if another observer has raised the time.
func RaiseSilence(ctx context.Context, tx *sqldb.Tx, m ShardMember, silent int64) error {
	_, err := tx.Exec(ctx, "UPDATE shard_members SET silent = ? WHERE id = ? AND beat = ? AND silent = ?", silent, m.ID, m.Beat, m.Silent)
	return err
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
	err = q.Query(ctx, "SELECT "+memberColumns+" FROM shard_members ORDER BY id", nil, func(rows *sql.Rows) error {
		var m ShardMember
		err := rows.Scan(m.fields()...)
		all = append(all, m)
		return err
	})
	return all, err
}
