package shard

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// beatsPerLease is the number of signs of life in a lease. looksPerBeat is the number of times in
// the interval between two of them that a process reads the tables which does not know the group
// yet.
const (
	beatsPerLease = 5
	looksPerBeat  = 4
)

// liveness finds out which members are alive. It compares the rows that it reads with earlier
// ones, and uses only the clock of this process.
//
// The row of a member has the time that all observers together have seen its beat stand still.
// An observer adds to it only the time between two of its own reads that found the same beat
// and the same time, and only if the row is still the same. Of a beat, this time only grows.
// So it never exceeds the time since the beat, and it outlives the observers.
type liveness struct {
	lease    time.Duration
	observed time.Time             // of the last call
	beats    map[int64]observation // by member
}

// observation is the last known row of a member.
type observation struct {
	beat, silent int64
	since        time.Time // when this row was first read
	advanced     time.Time // when a read last found another beat than the read before; zero: never
}

// silence is a time without a sign of life, to be stored.
type silence struct {
	member model.ShardMember // as read
	micros int64             // the new value of Silent
}

// verdict is what an observer concludes from the rows of the members.
type verdict struct {
	live   []int64             // members that are not dead
	proved []int64             // those of them that gave a sign of life within half a lease
	late   []int64             // live members that have been silent for two beats
	dead   []model.ShardMember // silent for a lease
	silent []silence           // of live members that have missed a beat
}

// observe returns the state of the members. The time between two calls does not count as
// silence if it is longer than half a lease, such as an outage of the database: the members may
// have been unable to give a sign of life.
func (l *liveness) observe(now time.Time, members []model.ShardMember) (v verdict) {
	blind := now.Sub(l.observed) > l.lease/2
	l.observed = now
	seen := make(map[int64]observation, len(members))
	for _, m := range members {
		o, known := l.beats[m.ID]
		if known && !blind && o.beat != m.Beat {
			o.advanced = now
		}
		if !known || blind || o.beat != m.Beat || o.silent != m.Silent {
			o = observation{beat: m.Beat, silent: m.Silent, since: now, advanced: o.advanced}
		}
		seen[m.ID] = o
		still := now.Sub(o.since)
		total := time.Duration(m.Silent)*time.Microsecond + still
		if total > l.lease {
			v.dead = append(v.dead, m)
			continue
		}
		v.live = append(v.live, m.ID)
		if !o.advanced.IsZero() && now.Sub(o.advanced) <= l.lease/2 {
			v.proved = append(v.proved, m.ID)
		}
		beat := l.lease / beatsPerLease
		if total >= 2*beat {
			v.late = append(v.late, m.ID)
		}
		if still >= beat || m.Silent > 0 && still >= beat/looksPerBeat {
			v.silent = append(v.silent, silence{m, total.Microseconds()})
		}
	}
	l.beats = seen
	slices.Sort(v.live)
	slices.Sort(v.proved)
	slices.Sort(v.late)
	return v
}

// isDead reports whether a member is dead.
func (v *verdict) isDead(id int64) bool {
	return slices.ContainsFunc(v.dead, func(m model.ShardMember) bool { return m.ID == id })
}

// plansAs reports whether two verdicts lead to the same plan of the same rows.
func (v *verdict) plansAs(o *verdict) bool {
	return slices.Equal(v.live, o.live) && slices.Equal(v.proved, o.proved) && slices.Equal(v.late, o.late)
}

// include says that a member is this process, which is alive and does not observe itself.
func (v *verdict) include(id int64) {
	if !slices.Contains(v.proved, id) && slices.Contains(v.live, id) {
		v.proved = append(v.proved, id)
		slices.Sort(v.proved)
	}
	v.dead = slices.DeleteFunc(v.dead, func(m model.ShardMember) bool { return m.ID == id })
	v.late = slices.DeleteFunc(v.late, func(m int64) bool { return m == id })
	v.silent = slices.DeleteFunc(v.silent, func(s silence) bool { return s.member.ID == id })
}
