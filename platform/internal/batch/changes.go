package batch

import (
	"cmp"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// changes collects the transitions that a transaction changes, for the feed. Each
// transition has one entry, no matter how often the transaction changes it: readers see
// only the result.
type changes struct {
	entries []model.FeedEntry
	index   map[model.RevisionID]int
}

// note records a change of the transition that belongs to a revision.
func (c *changes) note(id model.RevisionID, kind model.FeedKind) {
	if c.index == nil {
		c.index = map[model.RevisionID]int{}
	}
	i, found := c.index[id]
	if !found {
		c.index[id] = len(c.entries)
		c.entries = append(c.entries, model.FeedEntry{RevisionID: id, Kind: kind})
		return
	}
	c.entries[i].Kind = joined(c.entries[i].Kind, kind)
}

const (
	// nothing is the kind of a transition that one transaction writes and deletes.
	nothing model.FeedKind = 0
	// became is the kind of a new transition of a revision that was stored without one. In
	// the feed it is corrected.
	became model.FeedKind = -1
)

// joined returns the combined kind of two changes in one transaction.
func joined(first, second model.FeedKind) model.FeedKind {
	unseen := first == model.FeedNew || first == model.FeedLate || first == became
	switch {
	case first == nothing:
		return second
	case unseen && second == model.FeedWithdrawn:
		return nothing
	case unseen:
		return first
	case second == became: // the transaction withdrew it before
		return model.FeedCorrected
	}
	return second
}

// all returns the entries in the order of their versions.
func (c *changes) all() []model.FeedEntry {
	all := slices.DeleteFunc(c.entries, func(e model.FeedEntry) bool { return e.Kind == nothing })
	for i := range all {
		if all[i].Kind == became {
			all[i].Kind = model.FeedCorrected
		}
	}
	slices.SortFunc(all, func(x, y model.FeedEntry) int {
		return cmp.Or(cmp.Compare(x.Version, y.Version), cmp.Compare(x.Object, y.Object))
	})
	return all
}

// with returns the entries, followed by those of decided statuses of other jobs. A reader of the
// entry of a transition reads the status as well, so a job with a transition needs no second
// entry.
func (c *changes) with(decided []model.FeedEntry) []model.FeedEntry {
	all := c.all()
	noted := make(map[int64]bool, len(all))
	for i := range all {
		noted[all[i].Object] = true
	}
	for _, d := range decided {
		if !noted[d.Object] {
			all = append(all, d)
		}
	}
	return all
}
