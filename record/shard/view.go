package shard

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// view is the content of the tables of shards at a version.
type view struct {
	version int64
	members []model.ShardMember
	shards  []model.Shard
	offers  []model.ShardOffer
}

// readView reads the members, and the other tables if they have changed since the last view.
func readView(ctx context.Context, db *sqldb.DB, last *view) (next view, err error) {
	version, err := model.ShardVersion(ctx, db)
	if err != nil {
		return next, err
	}
	next = view{version: version, shards: last.shards, offers: last.offers}
	if next.members, err = model.ShardMembers(ctx, db); err != nil || version == last.version {
		return next, err
	}
	if next.shards, err = model.Shards(ctx, db); err != nil {
		return next, err
	}
	next.offers, err = model.ShardOffers(ctx, db)
	return next, err
}

// of returns the offers of a member by shard.
func (v *view) of(member int64) map[int64]model.ShardOffer {
	rows := map[int64]model.ShardOffer{}
	for _, row := range v.offers {
		if row.Member == member {
			rows[row.Shard] = row
		}
	}
	return rows
}

// planned returns the shards for Plan, in the order of their IDs.
func (v *view) planned() []Shard {
	all := make([]Shard, len(v.shards))
	for i, s := range v.shards {
		all[i] = Shard{ID: s.ID, Load: float64(1 + s.Load)}
	}
	for _, row := range v.offers {
		i, found := slices.BinarySearchFunc(all, row.Shard, byID)
		if !found {
			continue // it was offered after the shards were read
		}
		all[i].Offers = append(all[i].Offers, row.Member)
		if row.Held {
			all[i].Holders = append(all[i].Holders, Holder{row.Member, row.Ready})
		}
	}
	return all
}

// byID compares a shard with an ID.
func byID(s Shard, id int64) int { return cmp.Compare(s.ID, id) }
