package shard

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// group is a model of a group of recorders: it carries out plans, and holders become ready.
type group struct {
	members  []int64
	shards   []Shard
	replicas int
	claims   int
}

func (g *group) shard(id int64) *Shard {
	return &g.shards[slices.IndexFunc(g.shards, func(s Shard) bool { return s.ID == id })]
}

// step carries out a plan, except the actions of members that skip selects. It reports
// whether there was one.
func (g *group) step(t interface{ Fatalf(string, ...any) }, skip func(Action) bool) bool {
	acted := false
	for _, a := range Plan(g.members, g.shards, g.replicas) {
		if skip(a) {
			continue
		}
		acted = true
		s := g.shard(a.Shard)
		held := func(h Holder) bool { return h.Member == a.Member }
		switch a.Kind {
		case Claim:
			if slices.ContainsFunc(s.Holders, held) || !slices.Contains(s.Offers, a.Member) {
				t.Fatalf("claim %+v of %+v", a, s)
			}
			g.claims++
			s.Holders = append(s.Holders, Holder{Member: a.Member})
		case Release:
			s.Holders = slices.DeleteFunc(s.Holders, held)
			if ready := g.ready(s); ready < g.want(s) {
				t.Fatalf("%+v leaves %d holders that are ready, want %d", a, ready, g.want(s))
			}
		}
	}
	return acted
}

// want is the number of holders that a shard must have.
func (g *group) want(s *Shard) int {
	n := 0
	for _, m := range s.Offers {
		if slices.Contains(g.members, m) {
			n++
		}
	}
	return min(n, g.replicas)
}

func (g *group) ready(s *Shard) (n int) {
	for _, h := range s.Holders {
		if h.Ready && slices.Contains(g.members, h.Member) {
			n++
		}
	}
	return n
}

// catchUp makes all holders ready.
func (g *group) catchUp() {
	for i := range g.shards {
		for j := range g.shards[i].Holders {
			g.shards[i].Holders[j].Ready = true
		}
	}
}

// settle carries out plans until there is nothing to do, and returns the number of steps.
func (g *group) settle(t interface{ Fatalf(string, ...any) }) int {
	for n := range 1000 {
		if !g.step(t, func(Action) bool { return false }) {
			return n
		}
		g.catchUp()
	}
	t.Fatalf("the plan does not settle: %+v", g)
	return 0
}

// kill removes a member, as the others do when it is dead.
func (g *group) kill(member int64) {
	g.members = slices.DeleteFunc(g.members, func(m int64) bool { return m == member })
	for i := range g.shards {
		g.shards[i].Holders = slices.DeleteFunc(g.shards[i].Holders, func(h Holder) bool { return h.Member == member })
		g.shards[i].Offers = slices.DeleteFunc(g.shards[i].Offers, func(m int64) bool { return m == member })
	}
}

// join adds a member that offers all shards.
func (g *group) join(member int64) {
	g.members = append(g.members, member)
	for i := range g.shards {
		g.shards[i].Offers = append(g.shards[i].Offers, member)
	}
}

// loads returns the load of each member, and the average.
func (g *group) loads() (all map[int64]float64, average float64) {
	all = map[int64]float64{}
	for _, m := range g.members {
		all[m] = 0
	}
	for _, s := range g.shards {
		for _, h := range s.Holders {
			all[h.Member] += s.Load
			average += s.Load / float64(len(g.members))
		}
	}
	return all, average
}

func newGroup(members, shards, replicas int, load func(i int) float64) *group {
	g := &group{replicas: replicas}
	for i := range shards {
		g.shards = append(g.shards, Shard{ID: int64(i + 1), Load: load(i)})
	}
	for m := range members {
		g.join(int64(m + 1))
	}
	return g
}

// TestPlanModel makes random groups act on plans, some members late, while members come and
// go. In the end each shard has its holders.
func TestPlanModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		g := newGroup(rapid.IntRange(1, 6).Draw(t, "members"), rapid.IntRange(1, 12).Draw(t, "shards"), rapid.IntRange(1, 3).Draw(t, "replicas"), func(int) float64 {
			return rapid.SampledFrom([]float64{1, 1, 2, 10, 1000}).Draw(t, "load")
		})
		for i := range g.shards { // some shards are not offered by all
			if rapid.IntRange(0, 3).Draw(t, "partial") == 0 {
				g.shards[i].Offers = g.shards[i].Offers[:1+len(g.shards[i].Offers)/2]
			}
		}
		next := int64(100)
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				if len(g.members) > 1 {
					g.kill(rapid.SampledFrom(g.members).Draw(t, "killed"))
				}
			case 1:
				next++
				g.join(next)
			case 2:
				g.catchUp()
			default:
				late := rapid.SampledFrom(g.members).Draw(t, "late")
				g.step(t, func(a Action) bool { return a.Member == late })
			}
		}
		g.catchUp()
		g.settle(t)
		for i := range g.shards {
			if s := &g.shards[i]; len(s.Holders) != g.want(s) {
				t.Fatalf("%+v: want %d holders of %v", s, g.want(s), g.members)
			}
		}
	})
}

// TestPlanBalances: equal shards are spread evenly, and of unequal ones no move would help.
func TestPlanBalances(t *testing.T) {
	for name, load := range map[string]func(int) float64{
		"equal":   func(int) float64 { return 1 },
		"unequal": func(i int) float64 { return 1 + float64(i%7)*float64(i%5) },
	} {
		g := newGroup(5, 100, 2, load)
		g.settle(t)
		all, average := g.loads()
		for m, l := range all {
			if math.Abs(l-average) > 0.25*average {
				t.Errorf("%s: member %d has %v, the average is %v: %v", name, m, l, average, all)
			}
		}
	}
}

// TestPlanMovesOnlyWhatItMust: a member that joins gets its part, and the part of a member
// that leaves goes to the others. The other shards stay.
func TestPlanMovesOnlyWhatItMust(t *testing.T) {
	const shards, replicas = 200, 2
	g := newGroup(4, shards, replicas, func(int) float64 { return 1 })
	g.settle(t)
	if g.claims != shards*replicas {
		t.Errorf("got %d claims at first, want %d", g.claims, shards*replicas)
	}
	g.claims = 0
	g.join(5)
	g.settle(t)
	part := shards * replicas / 5
	if g.claims > part+part/4 || g.claims < part/2 {
		t.Errorf("got %d moves for a new member, want about %d", g.claims, part)
	}
	loads, _ := g.loads()
	g.claims = 0
	g.kill(5)
	g.settle(t)
	if g.claims > int(loads[5])+part/4 {
		t.Errorf("got %d moves after the end of a member with %v shards", g.claims, loads[5])
	}
}

// TestPlanRests: loads that change a little move nothing.
func TestPlanRests(t *testing.T) {
	g := newGroup(3, 66, 2, func(i int) float64 {
		if i < 6 {
			return 500
		}
		return 2 // could fill any difference
	})
	g.settle(t)
	g.claims = 0
	for i := range 6 {
		g.shards[i].Load += float64(i) * 10
	}
	g.settle(t)
	if g.claims > 0 {
		t.Errorf("got %d moves, want none", g.claims)
	}
}

// TestPlanIsTheSameForAll: the order of the input does not matter.
func TestPlanIsTheSameForAll(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		g := newGroup(4, 10, 2, func(i int) float64 { return float64(rapid.IntRange(1, 5).Draw(t, "load")) })
		want := fmt.Sprint(Plan(g.members, g.shards, 2))
		members, shards := rapid.Permutation(g.members).Draw(t, "members"), rapid.Permutation(g.shards).Draw(t, "shards")
		if got := fmt.Sprint(Plan(members, shards, 2)); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

// BenchmarkPlan plans 2,000 shards on 50 members after one of them has failed.
func BenchmarkPlan(b *testing.B) {
	g := newGroup(50, 2000, 2, func(i int) float64 { return 1 + float64(i*i%977) })
	g.settle(b)
	g.kill(7)
	for b.Loop() {
		Plan(g.members, g.shards, g.replicas)
	}
}
