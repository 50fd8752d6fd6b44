package store

import "github.com/vedette-io/vedette/wire"

// fold makes of several runs of changes what became of each object: deletions
// first, then additions and updates, each in the order of the last change.
func fold(links [][]Change) []Change {
	if len(links) == 1 && len(links[0]) == 1 {
		return links[0]
	}
	last := map[wire.Key]int{} // where in all the folded change stands
	var all []Change
	for _, changes := range links {
		for i := range changes {
			c := changes[i]
			key := c.Last().Key()
			at, ok := last[key]
			if !ok {
				last[key] = len(all)
				all = append(all, c)
				continue
			}
			was := all[at]
			all[at].Kind = 0 // goes, or moves to the end
			if joined, left := joinChanges(was, c); left {
				last[key] = len(all)
				all = append(all, joined)
			} else {
				delete(last, key)
			}
		}
	}
	return inOrder(all)
}

// joinChanges makes one change of two of the same key. left is false if nothing is
// left of them. An object that was replaced by its namesake stays what became
// of the first: its deletion goes before everything else, see settled.
func joinChanges(a, b Change) (joined Change, left bool) {
	joined = b
	switch {
	case a.Kind == Added && b.Kind == Deleted:
		return Change{}, false
	case a.Kind == Added:
		joined.Kind, joined.Old, joined.Cause = Added, Entry{}, a.Cause
	case a.Kind == Updated:
		joined.Old = a.Old
	default: // deleted, and then another one was added
		joined.Kind, joined.Old = replaced, a.Old
	}
	if a.Kind == replaced {
		joined.Old = a.Old
		joined.Kind = replaced
		if b.Kind == Deleted { // so only the first is gone
			joined = Change{Kind: Deleted, Old: a.Old, Cause: b.Cause, Seen: b.Seen}
		}
	}
	return joined, true
}

// replaced is a deletion and an addition under one key, while changes are folded.
const replaced ChangeKind = 100

// inOrder brings folded changes into their order.
func inOrder(all []Change) []Change {
	var out []Change
	for _, c := range all {
		switch c.Kind {
		case Deleted:
			out = append(out, c)
		case replaced:
			out = append(out, Change{Kind: Deleted, Old: c.Old, Cause: c.Cause, Seen: c.Seen})
		}
	}
	for _, c := range all {
		switch c.Kind {
		case Added, Updated:
			out = append(out, c)
		case replaced:
			out = append(out, Change{Kind: Added, New: c.New, Cause: c.Cause, Seen: c.Seen})
		}
	}
	return out
}

// diff works out what leads from one snapshot to another of the same
// store.
func diff(from, to *Snapshot) []Change {
	if from == to {
		return nil
	}
	added := Listed
	if !from.synced {
		added = Initial
	}
	arrival := to.byArrival()
	var out []Change
	from.table.objects.Scan(func(old Entry) bool {
		if e, ok := to.table.objects.Get(old); !ok || !sameUID(old, e) {
			out = append(out, Change{Kind: Deleted, Cause: Listed, Old: old})
		}
		return true
	})
	to.table.objects.Scan(func(e Entry) bool {
		switch old, had := from.table.objects.Get(e); {
		case !had || !sameUID(old, e):
			out = append(out, Change{Kind: Added, Cause: added, New: e})
		case !sameRevision(old, e) || arrival && old != e && !sameContent(old, e):
			out = append(out, Change{Kind: Updated, Cause: Listed, Old: old, New: e})
		}
		return true
	})
	return out
}
