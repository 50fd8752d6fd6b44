package history

import (
	"context"
	"slices"
	"time"
)

// Unrecorded is a part of the history that is not current.
type Unrecorded struct {
	Cluster string // empty: no recorder has ever written to the database
	Type    Type   // zero: all types of the cluster
	// Since is the instant up to which everything that was seen is in the database.
	Since time.Time
	// Behind reports that a recorder runs, and has not yet written what it saw after Since.
	// Otherwise no recorder runs.
	Behind bool
}

// Unrecorded returns the parts of the history that are not current: a cluster if none of its
// types is recorded, and otherwise types.
//
// Errors: errors of the database.
func (h *History) Unrecorded(ctx context.Context) ([]Unrecorded, error) {
	now := h.db.Now()
	all, err := freshnessOf(ctx, h.db, now)
	if err != nil {
		return nil, err
	}
	return unrecordedOf(all, now), nil
}

func unrecordedOf(all []Freshness, now time.Time) (missing []Unrecorded) {
	if len(all) == 0 {
		return []Unrecorded{{}}
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(f Freshness) bool { return f.Cluster != all[0].Cluster })
		if n < 0 {
			n = len(all)
		}
		missing = append(missing, unrecordedIn(all[:n], now)...)
		all = all[n:]
	}
	return missing
}

// unrecordedIn returns the parts of one cluster that are not current.
func unrecordedIn(types []Freshness, now time.Time) (missing []Unrecorded) {
	whole := Unrecorded{Cluster: types[0].Cluster}
	stale := 0
	for i := range types {
		f := &types[i]
		state := f.Recording(now)
		if state == Live {
			continue
		}
		if state == Stale {
			stale++
		}
		if whole.Since.Before(f.Committed) {
			whole.Since = f.Committed
		}
		missing = append(missing, Unrecorded{Cluster: f.Cluster, Type: f.Type, Since: f.Committed, Behind: state == Behind})
	}
	if stale == len(types) {
		return []Unrecorded{whole}
	}
	return missing
}
