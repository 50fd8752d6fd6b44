package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

const (
	// StaleAfter is the time without a heartbeat after which a recorder counts as dead, and
	// the age of uncommitted observations from which a living one counts as behind. A
	// recorder sends a heartbeat every 3 seconds.
	StaleAfter = 10 * time.Second
	// UnconfirmedAfter is the time without a frame or a bookmark after which nothing confirms
	// that a watch sees everything. A server sends bookmarks about every minute.
	UnconfirmedAfter = 3*time.Minute + 30*time.Second
	// forgottenAfter is the time after which a type is no longer expected to be recorded, if
	// its cluster is.
	forgottenAfter = 30 * 24 * time.Hour
)

// Recording tells whether the objects of a type are recorded now.
type Recording uint8

const (
	// Live means that everything that a recorder has seen until a few seconds ago is in the
	// database.
	Live Recording = iota
	// Behind means that a recorder runs, and what it saw last is not in the database yet.
	Behind
	// Stale means that no recorder runs.
	Stale
)

// String returns "live", "behind" or "stale".
func (r Recording) String() string { return [...]string{"live", "behind", "stale"}[min(r, Stale)] }

// Freshness is the age of the evidence that the database has the newest state of a type. All times are by
// the clock of the database.
type Freshness struct {
	Cluster, ClusterUID string
	Type                Type
	Namespace           string // empty: all
	Recorder            string // the one with the newest heartbeat
	// Committed is the instant up to which everything that was seen is in the database.
	Committed time.Time
	// Renewed is the time of the last heartbeat.
	Renewed time.Time
	// Heard is the time of the last frame or bookmark of a watch; zero: none yet. It is about
	// half a minute old.
	Heard time.Time
}

// Recording returns whether the type is recorded at a time.
func (f *Freshness) Recording(now time.Time) Recording {
	switch {
	case now.Sub(f.Renewed) > StaleAfter:
		return Stale
	case now.Sub(f.Committed) > StaleAfter:
		return Behind
	}
	return Live
}

// Unconfirmed reports whether nothing confirms at a time that the watch sees everything.
func (f *Freshness) Unconfirmed(now time.Time) bool { return now.Sub(f.Heard) > UnconfirmedAfter }

// better reports whether f is newer evidence than other.
func (f *Freshness) better(other *Freshness, now time.Time) bool {
	if x, y := f.Recording(now), other.Recording(now); x != y {
		return x < y
	}
	return f.Committed.After(other.Committed)
}

// part is the evidence for a UID range of a selection of a type.
type part struct {
	selectors int64
	uids      wire.UIDRange
}

// freshnessOf returns the freshness of all types that recorders have, in the order of clusters
// and types.
func freshnessOf(ctx context.Context, db *sqldb.DB, now time.Time) (all []Freshness, err error) {
	var parts map[part]Freshness
	var last Freshness
	newest := map[string]Freshness{} // the cluster that now has a name
	end := func() {
		if len(parts) > 0 {
			all = append(all, combined(parts, now))
		}
	}
	err = model.EachHeartbeat(ctx, db, func(h model.HeartbeatRow) {
		f := Freshness{
			Cluster: h.Cluster, ClusterUID: h.ClusterUID, Type: h.Type, Namespace: h.Namespace, Recorder: h.Recorder,
			Committed: model.Time(h.CommittedAt), Renewed: model.Time(h.RenewedAt), Heard: model.Time(h.HeardAt),
		}
		if parts == nil || f.ClusterUID != last.ClusterUID || f.Type != last.Type || f.Namespace != last.Namespace {
			end()
			parts = map[part]Freshness{}
		}
		last = f
		p := part{h.Selectors, h.UIDs}
		if old, found := parts[p]; !found || f.better(&old, now) {
			parts[p] = f
		}
		if old, found := newest[f.Cluster]; !found || f.Renewed.After(old.Renewed) {
			newest[f.Cluster] = f
		}
	})
	end()
	kept := all[:0]
	for _, f := range all {
		last := newest[f.Cluster]
		replaced := last.ClusterUID != f.ClusterUID // by another cluster
		if !replaced && last.Renewed.Sub(f.Renewed) < forgottenAfter {
			kept = append(kept, f)
		}
	}
	return kept, err
}

// combined returns the freshness of a type from that of its parts: the worst one of a
// division into UID ranges, and the best division.
func combined(parts map[part]Freshness, now time.Time) (worst Freshness) {
	selections := map[int64]bool{}
	for p := range parts {
		if selections[p.selectors] {
			continue
		}
		selections[p.selectors] = true
		if f, ok := bestDivision(parts, p.selectors, now); ok && (worst.Renewed.IsZero() || worst.better(&f, now)) {
			worst = f
		}
	}
	if worst.Renewed.IsZero() { // no division is complete
		for _, f := range parts {
			if worst.Renewed.IsZero() || worst.better(&f, now) {
				worst = f
			}
		}
	}
	return worst
}

func bestDivision(parts map[part]Freshness, selectors int64, now time.Time) (best Freshness, found bool) {
	for n := 1; n <= wire.MaxUIDRanges; n *= 2 {
		worst, complete := Freshness{}, true
		for i := range n {
			uids := wire.UIDRange{Index: i, Count: n}
			if n == 1 {
				uids = wire.UIDRange{}
			}
			f, ok := parts[part{selectors, uids}]
			if !ok {
				complete = false
				break
			}
			if i == 0 || worst.better(&f, now) {
				worst = f
			}
		}
		if complete && (!found || worst.better(&best, now)) {
			best, found = worst, true
		}
	}
	return best, found
}

// NotCurrent returns the freshness of a type in a cluster if a recorder has not just confirmed
// it: none runs, it is behind, or its watch is silent. It returns nil if the type is current, and
// for a database without heartbeats.
func NotCurrent(all []Freshness, clusterUID string, of Type, namespace string, now time.Time) *Freshness {
	var missing *Freshness
	for i := range all {
		f := &all[i]
		if f.ClusterUID != clusterUID || f.Type.Group != of.Group || f.Type.Resource != of.Resource || f.Namespace != "" && f.Namespace != namespace {
			continue
		}
		if f.Recording(now) == Live && !f.Unconfirmed(now) {
			return nil
		}
		missing = f
	}
	return missing
}
