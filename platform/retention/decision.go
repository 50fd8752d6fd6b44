package retention

import (
	"math"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// decision is what retention does with a revision.
type decision int

const (
	keep decision = iota
	strip
	remove
)

// rule decides about revisions.
type rule interface {
	// decide returns the decision about a revision.
	decide(c *model.Candidate, o *object) decision
	// bounds returns the times before which a revision may be deleted or stripped, in
	// microseconds.
	bounds() (remove, strip int64)
}

// minAge is the age below which revisions are not removed because of the size of the
// database. A recorder that lags behind may still backfill next to such revisions.
const minAge = time.Hour

// byAge decides by the ages of a policy.
type byAge struct {
	policy *Policy
	now    time.Time
}

func (r byAge) decide(c *model.Candidate, o *object) decision {
	age := r.now.Sub(time.UnixMicro(c.SeenAt))
	expired := age > r.policy.age(o)
	switch {
	case o.deleted && expired && o.read(c.Version):
		return remove
	case c.Version >= o.floor:
		return keep
	case expired && o.read(c.Version):
		return remove
	case age > r.policy.KeepBodies && c.Bytes > 0:
		return strip
	}
	return keep
}

func (r byAge) bounds() (remove, strip int64) {
	return ago(r.now, r.policy.smallestAge()), ago(r.now, r.policy.KeepBodies)
}

// bySize removes the oldest revisions while the database is too large.
type bySize struct{ now time.Time }

func (r bySize) decide(c *model.Candidate, o *object) decision {
	if r.now.Sub(time.UnixMicro(c.SeenAt)) <= minAge || !o.deleted && c.Version >= o.floor || !o.read(c.Version) {
		return keep
	}
	return remove
}

func (r bySize) bounds() (remove, strip int64) { return ago(r.now, minAge), math.MinInt64 }

// ago returns the time at an age, in microseconds.
func ago(now time.Time, age time.Duration) int64 {
	if age == Forever {
		return math.MinInt64
	}
	return model.Micros(now.Add(-age))
}
