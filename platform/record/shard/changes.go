package shard

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// changes are the differences between the tables and the offers, leases and plan of one
// member. The member writes them in one transaction.
type changes struct {
	member    int64
	dead      []model.ShardMember
	offered   []*Offer
	withdrawn []*Offer
	released  []*Offer // their work has ended
	claimed   []claim
	ready     []readiness
	loads     []load

	moved []*Offer // to release: their work must end first. They need no transaction
	ids   []int64  // of the shards in offered, after write
}

// claim is a shard to claim, unless it has limit holders already.
type claim struct {
	offer *Offer
	limit int
	done  bool
}

type readiness struct {
	shard int64
	ready bool
}

type load struct {
	offer *Offer
	value int64
}

func (c *changes) empty() bool {
	return len(c.dead)+len(c.offered)+len(c.withdrawn)+len(c.released)+len(c.claimed)+len(c.ready)+len(c.loads) == 0
}

// compare returns the changes that a member must make.
func compare(v *view, member int64, replicas int, seen *verdict, offers []*Offer, plan *cachedPlan) changes {
	todo := changes{member: member}
	rows, byShard := v.offers[member], map[int64]*Offer{}
	for _, o := range offers {
		o.mu.Lock()
		row, stored := rows[o.shard]
		switch {
		case o.withdrawn:
			todo.withdrawn = append(todo.withdrawn, o)
		case byShard[o.shard] != nil: // another target of this process is the same shard
		case !stored:
			todo.offered = append(todo.offered, o)
		case row.Held && o.lease == nil:
			todo.released = append(todo.released, o)
			byShard[o.shard] = o
		case row.Held:
			todo.sample(o, row)
			byShard[o.shard] = o
		default:
			byShard[o.shard] = o
		}
		o.mu.Unlock()
	}
	shards, actions := plan.of(v, seen, replicas)
	for _, a := range actions {
		o := byShard[a.Shard]
		switch {
		case a.Member != member || o == nil:
		case a.Kind == Claim:
			todo.claimed = append(todo.claimed, claim{offer: o, limit: limit(seen.live, shards, a.Shard, replicas)})
		case a.Kind == Release:
			todo.moved = append(todo.moved, o)
		}
	}
	return todo
}

// sample collects the differences in the work of a holder. The caller holds the lock of the
// offer.
func (c *changes) sample(o *Offer, row model.ShardOffer) {
	s := o.probe()
	if s.Ready != row.Ready {
		c.ready = append(c.ready, readiness{o.shard, s.Ready})
	}
	if value, differs := o.rate.see(time.Now(), s); differs {
		c.loads = append(c.loads, load{o, value})
	}
}

// limit returns the number of holders up to which a shard may be claimed: one more than the
// replicas for a shard that moves.
func limit(live []int64, shards []Shard, id int64, replicas int) int {
	i, _ := slices.BinarySearchFunc(shards, id, func(s Shard, id int64) int { return cmp.Compare(s.ID, id) })
	holders := 0
	for _, h := range shards[i].Holders {
		if slices.Contains(live, h.Member) {
			holders++
		}
	}
	return max(replicas, holders+1)
}

// write writes the changes.
func (c *changes) write(ctx context.Context, tx *sqldb.Tx) error {
	change, err := model.ChangeShards(ctx, tx)
	if err != nil {
		return err
	}
	for _, m := range c.dead {
		if err := change.Remove(ctx, m.ID, m.Beat); err != nil {
			return err
		}
	}
	c.ids = make([]int64, len(c.offered))
	for i, o := range c.offered {
		if c.ids[i], err = change.Ensure(ctx, o.scope); err != nil {
			return err
		}
		if err := change.Offer(ctx, c.ids[i], c.member); err != nil {
			return err
		}
	}
	if err := c.writeStates(ctx, change); err != nil {
		return err
	}
	return c.writeClaims(ctx, change, model.Micros(tx.Now()))
}

// writeStates writes the ends, states and loads of shards.
func (c *changes) writeStates(ctx context.Context, change model.ShardChange) error {
	for _, o := range c.withdrawn {
		if err := change.Withdraw(ctx, o.shard, c.member); err != nil {
			return err
		}
	}
	for _, o := range c.released {
		if err := change.Release(ctx, o.shard, c.member); err != nil {
			return err
		}
	}
	for _, r := range c.ready {
		if err := change.SetReady(ctx, r.shard, c.member, r.ready); err != nil {
			return err
		}
	}
	for _, l := range c.loads {
		if err := change.SetLoad(ctx, l.offer.shard, l.value); err != nil {
			return err
		}
	}
	return nil
}

// writeClaims claims shards, except those that other members have claimed meanwhile.
func (c *changes) writeClaims(ctx context.Context, change model.ShardChange, now int64) error {
	for i := range c.claimed {
		one := &c.claimed[i]
		holders, err := change.Holders(ctx, one.offer.shard)
		if err != nil {
			return err
		}
		if one.done = holders < one.limit; !one.done {
			continue
		}
		if err := change.Hold(ctx, one.offer.shard, c.member, now); err != nil {
			return err
		}
	}
	return nil
}

// commit brings the offers up to date after the transaction, and grants the leases. It
// returns their number.
func (c *changes) commit() (granted int) {
	for i, o := range c.offered {
		o.mu.Lock()
		o.shard = c.ids[i]
		o.mu.Unlock()
	}
	for _, l := range c.loads {
		l.offer.mu.Lock()
		l.offer.rate.stored = l.value
		l.offer.mu.Unlock()
	}
	for _, one := range c.claimed {
		if one.done {
			one.offer.grant(c.member)
			granted++
		}
	}
	return granted
}
