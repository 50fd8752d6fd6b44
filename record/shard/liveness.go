package shard

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
)

// liveness finds out which members are alive. It compares the beats that it reads with
// earlier ones, and uses only the clock of this process.
type liveness struct {
	lease    time.Duration
	observed time.Time             // of the last call
	beats    map[int64]observation // by member
}

// observation is the last known beat of a member.
type observation struct {
	beat  int64
	since time.Time // when the beat was first seen
}

// observe returns the live members and the dead ones. After a time without a call, such as an
// outage of the database, all members count as alive for another lease.
func (l *liveness) observe(now time.Time, members []model.ShardMember) (live []int64, dead []model.ShardMember) {
	blind := now.Sub(l.observed) > l.lease/2
	l.observed = now
	seen := make(map[int64]observation, len(members))
	for _, m := range members {
		o, known := l.beats[m.ID]
		if !known || blind || o.beat != m.Beat {
			o = observation{m.Beat, now}
		}
		seen[m.ID] = o
		if now.Sub(o.since) > l.lease {
			dead = append(dead, m)
		} else {
			live = append(live, m.ID)
		}
	}
	l.beats = seen
	slices.Sort(live)
	return live, dead
}
