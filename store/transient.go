package store

import "sync/atomic"

// transient is the state of the nodes that a snapshot shares with the store. They are
// transient while no reader has taken the snapshot: the writer may reclaim them and modify
// them in place, instead of copying each node on the path to an object.
type transient struct {
	state  atomic.Uint32
	owners []*owner // of the trees of the store before they were shared
}

const (
	unread     uint32 = iota // no reader has the snapshot
	persistent               // nobody modifies the nodes
	reclaimed                // no reader can get the snapshot
)

// persist makes the nodes persistent, for a reader. It returns false if the writer has
// reclaimed them: another snapshot follows soon.
func (t *transient) persist() bool {
	return t.state.Load() == persistent || t.state.CompareAndSwap(unread, persistent) || t.state.Load() == persistent
}

// share returns a copy of the table for a snapshot. Its nodes are transient.
func (t *table) share() (table, *transient) {
	shared := &transient{owners: make([]*owner, 0, 1+len(t.indexes))}
	shared.owners = append(shared.owners, t.objects.owner)
	for _, index := range t.indexes {
		shared.owners = append(shared.owners, index.owner)
	}
	return t.copy(), shared
}

// reclaim reclaims the nodes that the last share has shared. It returns false if a reader
// has made them persistent. The table may then modify the nodes that it could modify before.
func (t *table) reclaim(shared *transient) bool {
	if len(shared.owners) != 1+len(t.indexes) || !shared.state.CompareAndSwap(unread, reclaimed) {
		return false
	}
	t.objects.owner = shared.owners[0]
	for i, index := range t.indexes {
		index.owner = shared.owners[i+1]
	}
	return true
}
