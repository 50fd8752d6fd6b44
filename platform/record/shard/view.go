package shard

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// view is the content of the tables of shards at a version, or a little later.
type view struct {
	version int64
	members []model.ShardMember
	loads   map[int64]int64                      // by shard
	offers  map[int64]map[int64]model.ShardOffer // by member and shard
}

// newView returns a view without content.
func newView() view {
	return view{version: -1, loads: map[int64]int64{}, offers: map[int64]map[int64]model.ShardOffer{}}
}

// read reads the members, and the rows that have changed since the last call. Whatever is
// committed between its queries is read again by the next call.
func (v *view) read(ctx context.Context, q sqldb.Querier) error {
	version, err := model.ShardVersion(ctx, q)
	if err != nil {
		return err
	}
	members, err := model.ShardMembers(ctx, q)
	if err != nil {
		return err
	}
	if version < v.version { // the database was restored from a backup
		*v = newView()
	}
	if version != v.version {
		if err := model.EachShard(ctx, q, v.version, func(s model.Shard) { v.loads[s.ID] = s.Load }); err != nil {
			return err
		}
		if err := model.EachShardOffer(ctx, q, v.version, v.put); err != nil {
			return err
		}
	}
	v.version = version
	v.setMembers(members)
	return nil
}

// put stores an offer, or removes it if it was withdrawn.
func (v *view) put(o model.ShardOffer) {
	if v.offers[o.Member] == nil {
		v.offers[o.Member] = map[int64]model.ShardOffer{}
	}
	if o.Withdrawn {
		delete(v.offers[o.Member], o.Shard)
		return
	}
	v.offers[o.Member][o.Shard] = o
}

// setMembers stores the members, and removes the offers of former members.
func (v *view) setMembers(members []model.ShardMember) {
	v.members = members
	there := map[int64]bool{}
	for _, m := range members {
		there[m.ID] = true
	}
	maps.DeleteFunc(v.offers, func(member int64, _ map[int64]model.ShardOffer) bool { return !there[member] })
}

// planned returns the shards that somebody offers, in the order of their IDs, without the offers
// of members that may be dead: no shard must wait for one. That is a late member, and, for a shard
// that nobody holds, one without a sign of life. A member keeps what it holds until it is dead.
func (v *view) planned(seen *verdict) []Shard {
	shards := make(map[int64]*Shard, len(v.loads))
	for _, member := range slices.Sorted(maps.Keys(v.offers)) {
		for id, o := range v.offers[member] {
			s := shards[id]
			if s == nil {
				s = &Shard{ID: id, Load: float64(1 + v.loads[id])}
				shards[id] = s
			}
			s.Offers = append(s.Offers, member)
			if o.Held {
				s.Holders = append(s.Holders, Holder{member, o.Ready})
			}
		}
	}
	all := make([]Shard, 0, len(shards))
	for _, s := range shards {
		s.Offers = slices.DeleteFunc(s.Offers, func(m int64) bool {
			if len(s.Holders) == 0 {
				return !slices.Contains(seen.proved, m)
			}
			return slices.Contains(seen.late, m) && !slices.ContainsFunc(s.Holders, func(h Holder) bool { return h.Member == m })
		})
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Shard) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// cachedPlan is the plan of a view. Most steps find nothing new.
type cachedPlan struct {
	version int64
	seen    verdict
	shards  []Shard
	actions []Action
}

// of returns the shards of a view and their plan.
func (p *cachedPlan) of(v *view, seen *verdict, replicas int) ([]Shard, []Action) {
	if p.shards == nil || p.version != v.version || !p.seen.plansAs(seen) {
		shards := v.planned(seen)
		*p = cachedPlan{version: v.version, seen: *seen, shards: shards, actions: Plan(seen.live, shards, replicas)}
	}
	return p.shards, p.actions
}
