package shard

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
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

// ListedHolder is a member that has the right to record a shard.
type ListedHolder struct {
	Name   string
	Ready  bool // it has caught up
	Silent bool // it has missed its signs of life for half a lease, so it is not known to record
	Since  time.Time
}

// ListedMember is a recorder that shares the work.
type ListedMember struct {
	Name, Program string
	Joined, Seen  time.Time
	Lease         time.Duration
	Silent        bool // it has missed its signs of life for half a lease
	Offered, Held int
}

// Recorded reports whether a member that gives signs of life holds the shard.
func (l *Listed) Recorded() bool {
	return slices.ContainsFunc(l.Holders, func(h ListedHolder) bool { return !h.Silent })
}

// listedMember returns a member as it is at a time.
func listedMember(m *model.ShardMember, now time.Time) ListedMember {
	l := ListedMember{Name: m.Name, Program: m.Program, Joined: model.Time(m.JoinedAt), Seen: model.Time(m.SeenAt), Lease: time.Duration(m.Lease) * time.Microsecond}
	l.Silent = now.Sub(l.Seen) > l.Lease/2
	return l
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
	now, at := db.Now(), map[int64]int{}
	for i, m := range rows {
		at[m.ID] = i
		members = append(members, listedMember(&m, now))
	}
	holders := map[int64][]ListedHolder{}
	err = model.EachShardOffer(ctx, db, -1, func(o model.ShardOffer) {
		i, known := at[o.Member]
		if !known || o.Withdrawn {
			return // a member may have joined after the members were read
		}
		if members[i].Offered++; o.Held {
			members[i].Held++
			holders[o.Shard] = append(holders[o.Shard], ListedHolder{members[i].Name, o.Ready, members[i].Silent, model.Time(o.HeldAt)})
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
