package shard

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// Shard is a part of the recorded objects: the objects of one target of one cluster.
type Shard struct {
	ID int64
	// Load is the work that the shard causes for each of its holders, in any unit.
	Load float64
	// Offers are the members that can record the shard.
	Offers []int64
	// Holders are the members that record the shard.
	Holders []Holder
}

// Holder is a member that records a shard.
type Holder struct {
	Member int64
	// Ready reports whether the member has caught up, so another one may stop.
	Ready bool
}

// Kind is the kind of an Action.
type Kind uint8

// Kinds of actions.
const (
	Claim Kind = iota + 1
	Release
)

// Action is a change of the holders of a shard, which Member carries out.
type Action struct {
	Kind   Kind
	Shard  int64
	Member int64
}

const (
	// maxMoves is the maximum number of shards that move at a time only to balance the load.
	maxMoves = 8
	// hysteresis is the part of the average load of a member by which members may differ from
	// the average before shards move.
	hysteresis = 0.1
)

// Plan returns the actions that lead to a balanced distribution in which each shard has
// replicas holders, or as many as offer it. members are the live members.
//
// It is a pure function: members that read the same rows get the same plan, and carry out
// their own actions. A shard has no fewer holders than before until others are ready,
// because a move begins with a claim, and the holder with the most work releases the shard
// when enough others are ready.
func Plan(members []int64, shards []Shard, replicas int) []Action {
	p := newPlanner(members, shards, replicas)
	for _, s := range p.shards {
		p.fill(s)
		p.reduce(s)
		if s.isStable(p) {
			for _, h := range s.holders {
				p.stable[h.Member] = append(p.stable[h.Member], s)
			}
		}
	}
	for p.moving < maxMoves && p.move() {
	}
	slices.SortFunc(p.actions, func(a, b Action) int {
		return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Member, b.Member))
	})
	return p.actions
}

// planner computes a plan.
type planner struct {
	replicas int
	members  []int64
	shards   []*plannedShard           // the largest load first
	stable   map[int64][]*plannedShard // shards that may move, by holder
	load     map[int64]float64         // of each member, after the actions
	average  float64
	moving   int // shards that have an additional holder for a time
	actions  []Action
}

// plannedShard is a shard with its holders after the actions.
type plannedShard struct {
	*Shard
	candidates []int64 // live members that offer it
	holders    []Holder
	moves      bool // this plan moves it
}

// want returns the wanted number of holders.
func (p *planner) want(s *plannedShard) int { return min(p.replicas, len(s.candidates)) }

func newPlanner(members []int64, shards []Shard, replicas int) *planner {
	p := &planner{replicas: replicas, members: slices.Sorted(slices.Values(members)), load: map[int64]float64{}, stable: map[int64][]*plannedShard{}}
	total := 0.0
	for i := range shards {
		s := &plannedShard{Shard: &shards[i]}
		for _, m := range shards[i].Offers {
			if _, live := slices.BinarySearch(p.members, m); live {
				s.candidates = append(s.candidates, m)
			}
		}
		for _, h := range shards[i].Holders {
			if _, live := slices.BinarySearch(p.members, h.Member); live {
				s.holders = append(s.holders, h)
				p.load[h.Member] += s.Load
			}
		}
		total += s.Load * float64(p.want(s))
		p.shards = append(p.shards, s)
	}
	if len(members) > 0 {
		p.average = total / float64(len(members))
	}
	slices.SortFunc(p.shards, func(a, b *plannedShard) int { return cmp.Or(cmp.Compare(b.Load, a.Load), cmp.Compare(a.ID, b.ID)) })
	return p
}

// fill makes the least loaded members claim a shard that has too few holders.
func (p *planner) fill(s *plannedShard) {
	for len(s.holders) < p.want(s) {
		best, found := int64(0), false
		for _, m := range s.candidates {
			if !s.isHeldBy(m) && (!found || p.before(s, m, best)) {
				best, found = m, true
			}
		}
		if !found {
			return
		}
		p.claim(s, best)
	}
}

func (p *planner) claim(s *plannedShard, m int64) {
	s.holders = append(s.holders, Holder{Member: m})
	p.load[m] += s.Load
	p.actions = append(p.actions, Action{Claim, s.ID, m})
}

// reduce makes the most loaded holder release a shard that has too many holders. The load
// counts without that holder at once, and the release waits until the others are ready.
func (p *planner) reduce(s *plannedShard) {
	if len(s.holders) <= p.want(s) {
		return
	}
	p.moving++
	i := 0
	for j := range s.holders {
		if p.before(s, s.holders[i].Member, s.holders[j].Member) {
			i = j
		}
	}
	leaves := s.holders[i].Member
	s.holders = slices.Delete(s.holders, i, i+1)
	p.load[leaves] -= s.Load
	ready := 0
	for _, h := range s.holders {
		if h.Ready {
			ready++
		}
	}
	if ready >= p.want(s) {
		p.actions = append(p.actions, Action{Release, s.ID, leaves})
	}
}

// before reports whether a member has less work than another one, with a random but fixed
// order of equals for each shard.
func (p *planner) before(s *plannedShard, a, b int64) bool {
	if d := p.load[a] - p.load[b]; math.Abs(d) > 1e-9 {
		return d < 0
	}
	if x, y := rank(s.ID, a), rank(s.ID, b); x != y {
		return x < y
	}
	return a < b
}

// rank returns a hash of a shard and a member.
func rank(shard, member int64) uint64 {
	h := fnv.New64a()
	var text [16]byte
	for i := range 8 {
		text[i], text[8+i] = byte(shard>>(8*i)), byte(member>>(8*i))
	}
	_, _ = h.Write(text[:]) // Write never returns an error
	return h.Sum64()
}

// move makes a member with little work claim the shard of one with much, if that improves
// the balance enough. It reports whether it did.
func (p *planner) move() bool {
	byLoad := slices.Clone(p.members)
	slices.SortStableFunc(byLoad, func(a, b int64) int { return cmp.Compare(p.load[b], p.load[a]) })
	for _, from := range byLoad {
		for _, to := range slices.Backward(byLoad) {
			gap := p.load[from] - p.load[to]
			if gap <= 2*hysteresis*p.average {
				break // the others are closer
			}
			if s := p.movable(from, to, gap); s != nil {
				s.moves = true
				p.claim(s, to)
				p.load[from] -= s.Load
				s.holders = slices.DeleteFunc(s.holders, func(h Holder) bool { return h.Member == from })
				p.moving++
				return true
			}
		}
	}
	return false
}

// movable returns the shard whose move from one member to another makes their loads most
// equal, or nil if none improves them enough.
func (p *planner) movable(from, to int64, gap float64) (best *plannedShard) {
	most := 0.0
	for _, s := range p.stable[from] {
		gain := min(s.Load, gap-s.Load)
		if s.Load > gap/2 && gain < hysteresis*p.average {
			continue // the other member would then have almost as much too much
		}
		if gain > most && !s.moves && s.isHeldBy(from) && !s.isHeldBy(to) && slices.Contains(s.candidates, to) {
			best, most = s, gain
		}
	}
	return best
}

func (s *plannedShard) isHeldBy(m int64) bool {
	return slices.ContainsFunc(s.holders, func(h Holder) bool { return h.Member == m })
}

// isStable reports whether a shard may move: it has exactly the wanted holders, and all of them are
// ready.
func (s *plannedShard) isStable(p *planner) bool {
	return len(s.Holders) == p.want(s) && len(s.holders) == p.want(s) && !slices.ContainsFunc(s.holders, func(h Holder) bool { return !h.Ready })
}
