package shard

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// lockName locks the name of a member. Tests replace it.
var lockName = oscompat.LockName

// membership is the row of this process in the table of members.
type membership struct {
	c        *Config
	id       int64              // 0: not joined
	namelock *oscompat.Namelock // on the name of this member; nil: another process has it, or the system has no such locks
}

// lock locks the name, if that is possible. The lock is held from before the process joins until
// release.
func (m *membership) lock() {
	if m.namelock == nil {
		m.namelock = lockName(m.c.DB.String() + "\x00" + m.c.Name)
	}
}

// release ends the lock. The process has ended its work before: a lock that is free proves that.
func (m *membership) release() {
	if m.namelock != nil {
		m.namelock.Release()
	}
}

// succeed removes an earlier member with the same name. The member must have ended: it was silent
// for a lease, or this process has the lock that the member held while it lived.
//
// Errors: those of the database; the earlier member may be alive.
func (m *membership) succeed(ctx context.Context, members []model.ShardMember, seen *verdict) error {
	for _, other := range members {
		if other.Name != m.c.Name {
			continue
		}
		ended := m.namelock != nil && m.namelock.ID == other.Namelock
		if !ended && !seen.isDead(other.ID) {
			return fmt.Errorf("the name %q belongs to a recorder that may be alive: give each recorder its own name, or wait until it was silent for %v", other.Name, m.c.Lease)
		}
		err := m.change(ctx, func(change model.ShardChange, _ int64) error { return change.Remove(ctx, other.ID, other.Beat) })
		if err != nil {
			return err
		}
		m.c.log().Warn("an earlier process of this recorder has ended without leaving; this one takes its place", "recorder", other.Name)
	}
	return nil
}

// join inserts this member.
//
// Errors: those of the database; the name was taken meanwhile.
func (m *membership) join(ctx context.Context) error {
	row := model.ShardMember{Name: m.c.Name, Lease: m.c.Lease.Microseconds(), Program: m.c.Program}
	if m.namelock != nil {
		row.Namelock = m.namelock.ID
	}
	var id int64
	err := m.change(ctx, func(change model.ShardChange, now int64) (err error) {
		id, err = change.Join(ctx, row, now)
		return err
	})
	if err == nil && id == 0 {
		err = fmt.Errorf("another recorder with the name %q has just joined: give each recorder its own name", m.c.Name)
	}
	if err == nil {
		m.id = id
	}
	return err
}

// leave removes this member, so others take over its shards at once.
func (m *membership) leave(ctx context.Context) {
	if m.id == 0 {
		return
	}
	ctx, done := m.c.DB.Bounded(ctx)
	defer done()
	err := m.change(ctx, func(change model.ShardChange, _ int64) error {
		row, err := model.ShardMemberOf(ctx, change.Tx(), m.c.Name)
		if err != nil || row.ID != m.id {
			return nil // somebody else has removed it
		}
		return change.Remove(ctx, row.ID, row.Beat)
	})
	if err != nil {
		m.c.log().Warn("cannot leave the group of recorders; its shards wait for the end of the lease", "recorder", m.c.Name, "lease", m.c.Lease, "err", err)
	}
}

// change runs a transaction that changes the tables of shards.
func (m *membership) change(ctx context.Context, do func(change model.ShardChange, now int64) error) error {
	return m.c.DB.Transact(ctx, func(tx *sqldb.Tx) error {
		change, err := model.ChangeShards(ctx, tx)
		if err != nil {
			return err
		}
		return do(change, model.Micros(tx.Now()))
	})
}
