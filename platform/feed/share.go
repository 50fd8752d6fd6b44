package feed

// holding is a partition with its holder, as a replica reads it from the database.
type holding struct {
	owner string // "" if no replica holds it
}

// decision is the result of share: partitions that a replica takes now, by their indexes.
type decision struct {
	free   []int // nobody holds them
	stolen int   // a partition of the replica that holds the most; -1: none
}

// share decides which partitions a replica takes. A replica takes free partitions up to its
// fair share, and then one partition from a replica that holds at least two more than it
// does. So partitions move only if the difference shrinks, and the moves end.
//
// There is no list of replicas: each one counts itself and the holders that it sees. A
// replica without a partition becomes known by taking one.
func share(all []holding, self string) decision {
	held := map[string]int{self: 0}
	for _, h := range all {
		if h.owner != "" {
			held[h.owner]++
		}
	}
	d := decision{stolen: -1}
	fair := (len(all) + len(held) - 1) / len(held)
	most := self
	for i, h := range all {
		switch {
		case h.owner == "" && held[self]+len(d.free) < fair:
			d.free = append(d.free, i)
		case h.owner != "" && held[h.owner] > held[most]:
			most, d.stolen = h.owner, i
		}
	}
	if len(d.free) > 0 || d.stolen >= 0 && held[most] < held[self]+2 {
		d.stolen = -1
	}
	return d
}
