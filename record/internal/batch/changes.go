package batch

import (
	"slices"

	"github.com/vedette-io/vedette/record/internal/model"
)

// changes collects which transitions a transaction changes, for the feed. Each is one
// entry, whatever happens to it in the transaction: readers see only the result.
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

// joined returns the kind of two changes in one transaction. 0 means that nothing is left
// to tell: no reader has seen the transition.
func joined(first, second model.FeedKind) model.FeedKind {
	switch unseen := first == model.FeedNew || first == model.FeedLate || first == 0; {
	case second == model.FeedWithdrawn && unseen:
		return 0
	case second == model.FeedWithdrawn:
		return model.FeedWithdrawn
	case first == 0:
		return second
	case unseen:
		return first
	}
	return model.FeedCorrected
}

// all returns the entries in the order of the first change of each.
func (c *changes) all() []model.FeedEntry {
	return slices.DeleteFunc(c.entries, func(e model.FeedEntry) bool { return e.Kind == 0 })
}
