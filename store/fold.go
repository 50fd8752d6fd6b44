package store

import "github.com/vedette-io/vedette/wire"

// fold combines consecutive changes of each object into one: deletions first, then
// additions and updates, each in the order of the last change.
func fold(links [][]Change) []Change {
	if len(links) == 1 && len(links[0]) == 1 {
		return links[0]
	}
	last := map[wire.Key]int{} // index in all
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
			all[at].Kind = 0 // removed from its place; a joined change is appended
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

// joinChanges combines two changes of one key. left is false if they cancel out. If
// another object of the same name replaced the object, the result is a replaced change,
// which inOrder splits into a deletion and an addition.
func joinChanges(a, b Change) (joined Change, left bool) {
	joined = b
	switch {
	case a.Kind == Added && b.Kind == Deleted:
		return Change{}, false
	case a.Kind == Added:
		joined.Kind, joined.Old, joined.Cause = Added, Entry{}, a.Cause
	case a.Kind == Updated:
		joined.Old = a.Old
	default: // deleted; then another object of the same name was added
		joined.Kind, joined.Old = replaced, a.Old
	}
	if a.Kind == replaced {
		joined.Old = a.Old
		joined.Kind = replaced
		if b.Kind == Deleted { // the second object came and went, so only the deletion of the first is left
			joined = Change{Kind: Deleted, Old: a.Old, Cause: b.Cause, Seen: b.Seen}
		}
	}
	return joined, true
}

// replaced is a deletion and an addition of the same key. It exists only during folding.
const replaced ChangeKind = 100

// inOrder returns folded changes in the order in which they are delivered.
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

// diff computes the changes between two snapshots of one store.
func diff(from, to *Snapshot) []Change {
	if from == to {
		return nil
	}
	added := Listed
	if !from.synced {
		added = Initial
	}
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
		case !old.SameContent(e):
			out = append(out, Change{Kind: Updated, Cause: Listed, Old: old, New: e})
		}
		return true
	})
	return out
}
