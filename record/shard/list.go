package shard

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Listed is a shard as `vedette shards` shows it.
type Listed struct {
	Cluster, ClusterUID string
	Type                model.Type
	Namespace           string        // empty: all
	Selected            bool          // the target has selectors
	UIDs                wire.UIDRange // all if the target is not divided
	Load                int64         // revisions a minute, and one for each 1,000 objects
	CoveredAt           time.Time
	Holders             []ListedHolder
}

// ListedHolder is a member that records a shard.
type ListedHolder struct {
	Name  string
	Ready bool // it has caught up
	Since time.Time
}

// ListedMember is a recorder that shares the work.
type ListedMember struct {
	Name, Program string
	Joined, Seen  time.Time
	Offered, Held int
}

// List returns the members, and the shards in the order of their clusters, types,
// namespaces and UID ranges. Times are those of the database.
//
// Errors: those of the database.
func List(ctx context.Context, db *sqldb.DB) (shards []Listed, members []ListedMember, err error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	rows, err := model.ShardMembers(ctx, db)
	if err != nil {
		return nil, nil, db.Explain(err)
	}
	at := map[int64]int{}
	for i, m := range rows {
		at[m.ID] = i
		members = append(members, ListedMember{Name: m.Name, Program: m.Program, Joined: model.Time(m.JoinedAt), Seen: model.Time(m.SeenAt)})
	}
	holders := map[int64][]ListedHolder{}
	err = model.EachShardOffer(ctx, db, -1, func(o model.ShardOffer) {
		i, known := at[o.Member]
		if !known || o.Withdrawn {
			return // a member may have joined after the members were read
		}
		if members[i].Offered++; o.Held {
			members[i].Held++
			holders[o.Shard] = append(holders[o.Shard], ListedHolder{members[i].Name, o.Ready, model.Time(o.HeldAt)})
		}
	})
	if err != nil {
		return nil, nil, db.Explain(err)
	}
	err = model.EachListedShard(ctx, db, func(s model.ListedShard) {
		shards = append(shards, Listed{
			Cluster: s.Cluster, ClusterUID: s.ClusterUID, Type: s.Type, Namespace: s.Namespace, Selected: s.Selected, UIDs: s.UIDs, Load: s.Load, CoveredAt: model.Time(s.CoveredAt), Holders: holders[s.ID],
		})
	})
	return shards, members, db.Explain(err)
}
