package shard

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// observed is a member in a model of the table, with observers that live for a short time. Time is
// real time; the clock of each observer has an origin and, within 1%, a speed of its own.
type observed struct {
	*testing.T
	random *rand.Rand
	row    model.ShardMember
	beatAt time.Duration // of the last beat

	dead bool
}

// observer is a process that looks at the member.
type observer struct {
	liveness
	origin  time.Time
	speed   float64
	next    time.Duration // of its next look
	ends    time.Duration
	stored  *silence // read and decided, but not written yet
	writeAt time.Duration
}

const silenceLease = 15 * time.Second

func (o *observed) start(now time.Duration, life time.Duration) *observer {
	return &observer{
		liveness: liveness{lease: silenceLease}, origin: time.Unix(o.random.Int64N(1e9), 0), speed: 0.99 + o.random.Float64()/100, // none is faster than real time
		next: now, ends: now + life,
	}
}

// look is the work of an observer at a time. Its write comes later than its read.
func (o *observed) look(p *observer, now time.Duration) {
	if p.stored != nil && now >= p.writeAt {
		if s := p.stored; s.member.Beat == o.row.Beat && s.member.Silent == o.row.Silent {
			o.row.Silent = s.micros
		}
		p.stored = nil
	}
	if now < p.next || p.stored != nil {
		return
	}
	p.next = now + silenceLease/beatsPerLease/looksPerBeat
	v := p.observe(p.origin.Add(time.Duration(float64(now)*p.speed)), []model.ShardMember{o.row})
	for _, s := range v.silent {
		p.stored, p.writeAt = &s, now+time.Duration(o.random.Int64N(int64(2*time.Second)))
	}
	if len(v.dead) == 0 {
		return
	}
	o.dead = true
	if now-o.beatAt <= silenceLease {
		o.Errorf("the member is dead %v after its beat", now-o.beatAt)
	}
}

// TestSilenceModel: whatever the number of observers, their clocks and their lives, no member is
// dead within a lease of its last beat.
func TestSilenceModel(t *testing.T) {
	random := testinput.Rand(t)
	const step = 50 * time.Millisecond
	for range testinput.Size(t, 200, 5000) {
		o := &observed{T: t, random: random, row: model.ShardMember{ID: 1, Beat: 1}}
		observers := make([]*observer, 1+random.IntN(6))
		outage, beats, pause := time.Duration(0), time.Duration(0), time.Duration(0)
		for now := step; now < 5*time.Minute && !o.dead && !t.Failed(); now += step {
			switch {
			case now < outage:
				continue // nobody reaches the database
			case random.IntN(600) == 0:
				outage = now + time.Duration(random.Int64N(int64(20*time.Second)))
				continue
			}
			if now >= beats { // the member beats, and hangs at times
				o.row.Beat, o.row.Silent, o.beatAt = o.row.Beat+1, 0, now
				if pause = 0; random.IntN(5) == 0 {
					pause = time.Duration(random.Int64N(int64(20 * time.Second)))
				}
				beats = now + silenceLease/beatsPerLease + pause
			}
			for i, p := range observers {
				if p == nil || now >= p.ends {
					observers[i] = o.start(now+time.Duration(random.Int64N(int64(3*time.Second))), time.Duration(random.Int64N(int64(20*time.Second))))
					continue
				}
				o.look(p, now)
			}
		}
	}
}

// TestShortLives: one process after another lives for 5 to 15 seconds, the first of which it needs
// to start, and the database is unreachable at times. Together they find the dead member within twice a
// lease of the time in which they could see it.
func TestShortLives(t *testing.T) {
	random := testinput.Rand(t)
	for range testinput.Size(t, 200, 5000) {
		o := &observed{T: t, random: random, row: model.ShardMember{ID: 1, Beat: 1}}
		var p *observer
		var began, seen time.Duration
		for now := 50 * time.Millisecond; !o.dead; now += 50 * time.Millisecond {
			if p == nil || now >= p.ends {
				began = now + time.Second
				p = o.start(began, time.Duration(4+random.IntN(11))*time.Second)
			}
			if now < began {
				continue
			}
			if seen += 50 * time.Millisecond; random.IntN(600) == 0 {
				p.ends = 0 // the database is killed, and the process ends
			}
			if seen > 3*silenceLease {
				t.Fatalf("the member is not dead after processes have watched it for %v", seen)
			}
			o.look(p, now)
		}
	}
}
