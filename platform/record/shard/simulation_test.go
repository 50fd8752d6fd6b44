package shard

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/internal/model"
)

var (
	simulated  = flag.Duration("simulated", 2*time.Hour, "virtual time of the simulation of a large group")
	simMembers = flag.Int("members", 20, "number of recorders of the simulation")
	simShards  = flag.Int("shards", 0, "number of shards of the simulation, if not that of the size")
)

// The simulated world.
const (
	simLease    = 15 * time.Second
	simStep     = 250 * time.Millisecond
	simReplicas = 2
	simFailures = 2 * time.Hour    // mean time between the failures of a recorder
	simHistory  = 75 * time.Second // how long an API server keeps events
	simDrain    = time.Second      // a holder that releases a shard writes its last batch
	simResume   = 2 * time.Second  // a new holder resumes the watch
	simObjects  = 10_000_000       // of all shards
	simChanges  = 200_000.0        // transitions a second of all shards
	simListed   = 20_000.0         // objects that a list reads a second
	simLists    = 10               // one of so many claims must list
)

// simTable is the database: the rows, and a log of their changes.
type simTable struct {
	version int64
	beats   map[int64]int64
	silent  map[int64]int64
	held    []map[int64]*simHold // by shard and member
	writes  int                  // transactions, without those that record
	cache   map[string]*cachedPlan
}

// simHold is the row of a holder.
type simHold struct{ ready bool }

// simMember is a recorder.
type simMember struct {
	id       int64
	next     time.Duration // of the next step
	down     time.Duration // until when it is away; 0: it runs
	frozen   bool          // it is stopped and will wake up, otherwise it starts from scratch
	fails    time.Duration
	liveness liveness
	work     map[int]simWork
}

// simWork is the work for a shard.
type simWork struct{ ready, end time.Duration }

// simulation is a group of recorders in virtual time.
type simulation struct {
	*testing.T
	random  *rand.Rand
	now     time.Duration
	table   simTable
	loads   []float64
	members []*simMember
	nextID  int64

	moved, failures, refused int
	uncovered                []time.Duration // by shard: since when nobody records it; 0: somebody does
	longest                  time.Duration   // without a holder
	incomplete               time.Duration   // since when some shard has too few holders; 0: none has
	convergence              []time.Duration
}

// TestSimulation runs a large group for a long virtual time, in which recorders crash, hang
// and restart at random. No shard is without a holder for as long as an API server keeps its
// events, so no revision is missing, and the loads stay balanced.
//
//	go test ./platform/record/shard -run Simulation -v -members 50 -shards 2000 -simulated 24h
func TestSimulation(t *testing.T) {
	s := newSimulation(t)
	start := 2 * time.Minute
	for s.now = simStep; s.now < *simulated; s.now += simStep {
		s.fail(start)
		for _, m := range s.members {
			if m.down == 0 && s.now >= m.next {
				m.next = s.now + simLease/5
				s.step(m)
			}
		}
		s.measure(start)
	}
	loads, average, most := s.balance(), 0.0, 0.0
	for _, l := range loads {
		average += l / float64(len(loads))
		most = max(most, l)
	}
	slices.Sort(s.convergence)
	t.Logf("%d recorders, %d shards, %v: %d failures, %d writers refused after their lease", len(s.members), len(s.loads), *simulated, s.failures, s.refused)
	if n := len(s.convergence); n > 0 {
		t.Logf("all shards complete again after %v (median), %v (99%%), %v (longest)", s.convergence[n/2], s.convergence[n*99/100], s.convergence[n-1])
	}
	t.Logf("longest time of a shard without a holder: %v", s.longest)
	t.Logf("%.1f shards moved for each failure; %.2f transactions a second to coordinate", float64(s.moved)/float64(max(1, s.failures)), float64(s.table.writes)/s.now.Seconds())
	t.Logf("load of a recorder: %.0f transitions a second on average, %.0f at most", average, most)
	if s.longest >= simHistory {
		t.Errorf("a shard had no holder for %v, longer than servers keep events", s.longest)
	}
	if s.failures > 0 && len(s.convergence) == 0 {
		t.Error("the group never became complete again")
	}
	if most > 2*average {
		t.Errorf("a recorder has %.0f transitions a second, the average is %.0f", most, average)
	}
}

func newSimulation(t *testing.T) *simulation {
	s := &simulation{T: t, random: testinput.Rand(t), table: simTable{beats: map[int64]int64{}, silent: map[int64]int64{}, cache: map[string]*cachedPlan{}}}
	total := 0.0
	for i := range cmp.Or(*simShards, testinput.Size(s.T, 100, 400)) { // a few clusters and types have most of the work
		load := math.Pow(float64(1+i), -0.5)
		s.loads, total = append(s.loads, load), total+load
		s.table.held = append(s.table.held, map[int64]*simHold{})
	}
	for i := range s.loads {
		s.loads[i] *= simChanges / total
	}
	s.uncovered = make([]time.Duration, len(s.loads))
	for range *simMembers {
		s.members = append(s.members, &simMember{next: time.Duration(s.random.IntN(int(simLease / 5))), fails: s.failure(), liveness: liveness{lease: simLease}, work: map[int]simWork{}})
	}
	return s
}

// failure returns the time until the next failure of a recorder.
func (s *simulation) failure() time.Duration {
	return time.Duration(s.random.ExpFloat64() * float64(simFailures))
}

// fail begins and ends failures.
func (s *simulation) fail(start time.Duration) {
	if s.now < start {
		return
	}
	for _, m := range s.members {
		switch {
		case m.down > 0 && s.now >= m.down:
			if m.down, m.fails = 0, s.now+s.failure(); !m.frozen {
				m.work, m.liveness = map[int]simWork{}, liveness{lease: simLease}
			}
		case m.down == 0 && s.now >= start+m.fails:
			s.failures++
			m.down, m.frozen = s.now+time.Duration(1+s.random.IntN(180))*time.Second, s.random.IntN(2) == 0
			if !m.frozen && s.random.IntN(3) == 0 { // a restart: it leaves the group
				s.remove(m.id)
			}
			if !m.frozen {
				m.id = 0
			}
		}
	}
}

func (s *simulation) change() {
	s.table.version++
	s.table.writes++
}

func (s *simulation) remove(member int64) {
	s.change()
	delete(s.table.beats, member)
	delete(s.table.silent, member)
	for _, holders := range s.table.held {
		delete(holders, member)
	}
}

// step is Coordinator.step.
func (s *simulation) step(m *simMember) {
	if _, member := s.table.beats[m.id]; !member {
		if m.id != 0 {
			s.refused += len(m.work) // the next batch of each shard finds that the offer is gone
		}
		s.nextID++
		m.id, m.work = s.nextID, map[int]simWork{}
		s.table.beats[m.id] = 0
		s.change()
	}
	s.table.beats[m.id]++
	s.table.silent[m.id] = 0
	s.table.writes++
	var rows []model.ShardMember
	for id, beat := range s.table.beats {
		rows = append(rows, model.ShardMember{ID: id, Beat: beat, Silent: s.table.silent[id]})
	}
	slices.SortFunc(rows, func(a, b model.ShardMember) int { return int(a.ID - b.ID) })
	seen := m.liveness.observe(time.Time{}.Add(time.Hour).Add(s.now), rows)
	seen.include(m.id)
	if len(seen.silent) > 0 {
		s.table.writes++
	}
	for _, one := range seen.silent {
		s.table.silent[one.member.ID] = one.micros // no other member acts between the read and this write
	}
	for _, d := range seen.dead {
		s.remove(d.ID)
	}
	s.work(m)
	changed := false
	for _, a := range s.plan(seen.live) {
		if a.Member == m.id {
			changed = s.act(m, a) || changed
		}
	}
	if changed {
		s.change()
	}
}

// work makes holders ready, and ends the work of those that release a shard.
func (s *simulation) work(m *simMember) {
	changed := false
	for shard, w := range m.work {
		row := s.table.held[shard][m.id]
		switch {
		case w.end > 0 && s.now >= w.end:
			delete(s.table.held[shard], m.id)
			delete(m.work, shard)
			changed = true
		case !row.ready && s.now >= w.ready:
			row.ready, changed = true, true
		}
	}
	if changed {
		s.change()
	}
}

// plan returns the plan of the current rows. Members with the same rows share it.
func (s *simulation) plan(live []int64) []Action {
	p := s.table.cache["plan"]
	if p == nil || p.version != s.table.version || !slices.Equal(p.seen.live, live) {
		shards := make([]Shard, len(s.loads))
		all := slices.Sorted(func(yield func(int64) bool) {
			for id := range s.table.beats {
				if !yield(id) {
					return
				}
			}
		})
		for i := range shards {
			shards[i] = Shard{ID: int64(i + 1), Load: s.loads[i], Offers: all}
			for id, h := range s.table.held[i] {
				shards[i].Holders = append(shards[i].Holders, Holder{id, h.ready})
			}
			slices.SortFunc(shards[i].Holders, func(a, b Holder) int { return int(a.Member - b.Member) })
		}
		p = &cachedPlan{version: s.table.version, seen: verdict{live: slices.Clone(live)}, shards: shards, actions: Plan(live, shards, simReplicas)}
		s.table.cache["plan"] = p
	}
	return p.actions
}

// act carries out an action.
func (s *simulation) act(m *simMember, a Action) bool {
	shard := int(a.Shard - 1)
	w, works := m.work[shard]
	switch {
	case a.Kind == Claim && !works && len(s.table.held[shard]) <= simReplicas:
		s.moved++
		wait := simResume
		if s.random.IntN(simLists) == 0 {
			wait += time.Duration(float64(simObjects) / float64(len(s.loads)) / simListed * float64(time.Second))
		}
		s.table.held[shard][m.id] = &simHold{}
		m.work[shard] = simWork{ready: s.now + wait}
		return true
	case a.Kind == Release && works && w.end == 0:
		w.end = s.now + simDrain
		m.work[shard] = w
	}
	return false
}

// measure looks at all shards.
func (s *simulation) measure(start time.Duration) {
	runs := map[int64]bool{}
	for _, m := range s.members {
		if _, member := s.table.beats[m.id]; member && m.down == 0 {
			runs[m.id] = true
		}
	}
	complete := true
	for i, holders := range s.table.held {
		n := 0
		for id, h := range holders {
			if h.ready && runs[id] {
				n++
			}
		}
		complete = complete && n >= min(simReplicas, len(runs))
		switch {
		case n > 0:
			s.uncovered[i] = 0
		case s.uncovered[i] == 0:
			s.uncovered[i] = s.now
		case s.now > start:
			s.longest = max(s.longest, s.now-s.uncovered[i])
		}
	}
	switch {
	case complete && s.incomplete > 0:
		s.convergence = append(s.convergence, s.now-s.incomplete)
		s.incomplete = 0
	case !complete && s.incomplete == 0 && s.now > start:
		s.incomplete = s.now
	}
}

// balance returns the loads of all members that run.
func (s *simulation) balance() (all []float64) {
	for _, m := range s.members {
		if m.down > 0 {
			continue
		}
		load := 0.0
		for shard := range m.work {
			load += s.loads[shard]
		}
		all = append(all, load)
	}
	return all
}
