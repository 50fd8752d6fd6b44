package controller

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/wire"
)

// TestRendezvous: shares are even, also of names that differ in their last letter, and
// only the keys of who comes or goes move.
func TestRendezvous(t *testing.T) {
	const keys = 20_000
	for _, n := range []int{2, 3, 5, 8} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("controller-", i))
		}
		owner := func(of []string, key wire.Key) string {
			var owners []string
			for _, one := range of {
				if ranksFirst(one, of, key) {
					owners = append(owners, one)
				}
			}
			if len(owners) != 1 {
				t.Fatalf("%v has the owners %v of %v", key, owners, of)
			}
			return owners[0]
		}
		count := map[string]int{}
		for i := range keys {
			key := wire.Key{Namespace: "default", Name: fmt.Sprint("job-", i)}
			was := owner(names, key)
			count[was]++
			if is := owner(names[1:], key); was != names[0] && is != was {
				t.Fatalf("%v moves from %s to %s because %s has gone", key, was, is, names[0])
			}
		}
		for name, c := range count {
			if c < keys/n*9/10 || c > keys/n*11/10 {
				t.Errorf("%s has %d of %d keys, want a %dth", name, c, keys, n)
			}
		}
	}
}

// TestDeletedLease: a Lease that somebody has deleted still counts until it would
// have been over, for its holder may not know; one that was released does not.
func TestDeletedLease(t *testing.T) {
	s := &sim{leases: map[string]lease{}}
	l, _ := s.put("b", 0, []string{"b"})
	p := shardMachine{self: "a"}
	start := time.Unix(1000, 0)
	at := func(d time.Duration, list ...lease) string {
		p.observe(start.Add(d), start.Add(d), list)
		return fmt.Sprint(p.live())
	}
	if got := at(0, l); got != "[a b]" {
		t.Errorf("there: %s", got)
	}
	if got := at(simLease - 1); got != "[a b]" {
		t.Errorf("deleted: %s", got)
	}
	if got := at(simLease); got != "[a]" {
		t.Errorf("deleted, and over: %s", got)
	}
	l, _ = s.put("b", l.version, []string{"b"})
	at(simLease, l)
	nobody := ""
	released := lease{l.object.DeepCopy(), l.version + 1}
	released.object.Spec.HolderIdentity = &nobody
	if got := at(simLease+1, released); got != "[a]" {
		t.Errorf("released: %s", got)
	}
	if got := p.stale(); len(got) != 0 {
		t.Errorf("stale already: %v", got)
	}
	at(12*simLease, released)
	if got := p.stale(); len(got) != 1 {
		t.Errorf("not stale after 11 durations: %v", got)
	}
}

const (
	simLease = 15 * time.Second
	simKeys  = 24
)

// simReplica is a replica of the simulation: its pact, as share.go carries it
// out, in its own time. What it sends may take long, or be answered never.
type simReplica struct {
	machine shardMachine
	name    string
	held    *lease
	renewed time.Time
	token   wire.Version
	paused  int  // rounds
	cut     bool // no way to the server
	mail    []func(s *sim)
	// slow is a reconcile that runs across steps: of a key, in a term.
	slow      bool
	slowKey   wire.Key
	slowToken wire.Version
}

// sim are replicas, and a server that takes their Leases and their writes.
type sim struct {
	t        *rapid.T
	now      time.Time
	version  wire.Version
	leases   map[string]lease
	replicas []*simReplica
	tokens   map[wire.Key]wire.Version // the highest that was written with
	refused  int
	quiet    bool                // nothing goes wrong any more
	owners   map[wire.Key]string // who wrote last
}

func newSim(t *rapid.T, replicas int) *sim {
	s := &sim{
		t: t, now: time.Unix(1_000_000, 0), leases: map[string]lease{},
		tokens: map[wire.Key]wire.Version{}, owners: map[wire.Key]string{},
	}
	for i := range replicas {
		name := fmt.Sprint("replica-", i)
		s.replicas = append(s.replicas, &simReplica{name: name, machine: shardMachine{self: name}})
	}
	return s
}

// disturb lets something go wrong, or right.
func (s *sim) disturb() {
	r := s.replicas[rapid.IntRange(0, len(s.replicas)-1).Draw(s.t, "whom")]
	switch rapid.IntRange(0, 11).Draw(s.t, "what") {
	case 0:
		r.paused = rapid.IntRange(1, 20).Draw(s.t, "rounds of sleep")
	case 1:
		r.cut = !r.cut
	case 2: // it is killed, and starts again as another
		r.machine, r.held, r.slow, r.cut, r.paused = shardMachine{}, nil, false, false, 0
		r.name += "'"
		r.machine.self = r.name
	case 3: // it leaves in peace
		if r.paused == 0 && !r.cut {
			s.lapse(r)
			if l, ok := s.leases[r.name]; ok {
				s.version++
				nobody := ""
				l.version, l.object = s.version, l.object.DeepCopy()
				l.object.Spec.HolderIdentity = &nobody
				s.leases[r.name] = l
			}
			r.name += "'"
			r.machine = shardMachine{self: r.name}
		}
	case 4: // something that was on its way arrives
		if len(r.mail) > 0 {
			r.mail[0](s)
			r.mail = r.mail[1:]
		}
	}
}

// round lets everybody who is awake act, in any order.
func (s *sim) round() {
	for _, i := range rapid.Permutation(indexes(len(s.replicas))).Draw(s.t, "order") {
		r := s.replicas[i]
		if r.paused > 0 {
			if r.paused--; r.paused == 0 {
				s.wake(r)
			}
			continue
		}
		for range rapid.IntRange(1, 3).Draw(s.t, "turns") {
			s.poll(r)
		}
		s.act(r)
	}
	s.now = s.now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(s.t, "ms")) * time.Millisecond)
}

// act reconciles some keys. One of them may go on into the next rounds.
func (s *sim) act(r *simReplica) {
	if r.slow && rapid.Bool().Draw(s.t, "it ends") {
		if s.has(r, r.slowKey) || s.valid(r) && r.machine.applied != nil {
			r.slow = false
		}
	}
	for range 3 {
		key := simKey(rapid.IntRange(0, simKeys-1).Draw(s.t, "key"))
		if s.has(r, key) {
			s.reconcile(r, key)
			r.slow, r.slowKey, r.slowToken = true, key, r.token
		}
	}
}

// wake lets one go on that was asleep in the middle of a reconcile: the first thing
// it does is to write.
func (s *sim) wake(r *simReplica) {
	if !r.slow {
		return
	}
	if r.slowToken < s.tokens[r.slowKey] {
		s.refused++ // as Fence does
	} else {
		s.tokens[r.slowKey] = r.slowToken
	}
	r.slow = false
}

// calm lets everything go right, until every key must have an owner.
func (s *sim) calm() {
	s.quiet = true
	for _, r := range s.replicas {
		r.mail = nil
	}
	for range 60 {
		for _, r := range s.replicas {
			r.slow = false
			s.poll(r)
		}
		s.now = s.now.Add(time.Second)
	}
	for i := range simKeys {
		owners := 0
		for _, r := range s.replicas {
			if s.has(r, simKey(i)) {
				owners++
			}
		}
		if owners != 1 {
			s.t.Fatalf("when all is well %v has %d owners", simKey(i), owners)
		}
	}
}

func indexes(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func simKey(i int) wire.Key { return wire.Key{Name: fmt.Sprint("key-", i)} }

func (s *sim) valid(r *simReplica) bool { return s.now.Before(r.renewed.Add(simLease * 2 / 3)) }

// has reports whether a replica believes that it has a key.
func (s *sim) has(r *simReplica, key wire.Key) bool {
	return r.machine.applied != nil && s.valid(r) && ranksFirst(r.name, r.machine.applied, key)
}

// bad reports whether something goes wrong now.
func (s *sim) bad(what string) bool { return !s.quiet && rapid.IntRange(0, 9).Draw(s.t, what) == 0 }

// put writes a Lease if its version is the one that was read.
func (s *sim) put(name string, was wire.Version, view []string) (lease, bool) {
	if s.leases[name].version != was {
		return lease{}, false
	}
	s.version++
	seconds := int32(simLease / time.Second)
	l := lease{&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}, s.version}
	l.object.Spec.HolderIdentity, l.object.Spec.LeaseDurationSeconds = &name, &seconds
	l.setView(view)
	s.leases[name] = l
	return l, true
}

// write is sharing.write: it may be lost on the way there or back.
func (s *sim) write(r *simReplica, view []string) bool {
	asked := s.now
	var was wire.Version
	if r.held != nil {
		was = r.held.version
	} else {
		was = s.leases[r.name].version // join reads it
	}
	if r.cut || s.bad("lost on the way there") {
		return false
	}
	if s.bad("late") { // it arrives when nobody waits for it any more
		r.mail = append(r.mail, func(s *sim) { s.put(r.name, was, view) })
		return false
	}
	l, ok := s.put(r.name, was, view)
	if !ok { // an earlier one has arrived: read it, and write once more
		l, ok = s.put(r.name, s.leases[r.name].version, view)
	}
	if !ok {
		s.lapse(r)
		return false
	}
	if s.bad("lost on the way back") {
		return false
	}
	if r.machine.published != nil && !s.valid(r) {
		s.lapse(r)
		return false
	}
	r.held, r.renewed = &l, asked
	return true
}

func (s *sim) lapse(r *simReplica) {
	r.machine.reset()
	r.held, r.slow = nil, false // its contexts are cancelled, and it is joined
}

// turn is sharing.turn.
func (s *sim) poll(r *simReplica) {
	if r.machine.published != nil && !s.valid(r) {
		s.lapse(r)
	}
	if r.cut {
		return
	}
	var list []lease
	for _, l := range s.leases {
		list = append(list, l)
	}
	asked := s.now
	if !s.quiet {
		s.now = s.now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(s.t, "ms of a list")) * time.Millisecond)
	}
	if !r.machine.observe(asked, s.now, list) && r.machine.published != nil {
		s.lapse(r)
	}
	switch r.machine.next() {
	case stepYield:
		r.machine.shrink()
		if r.slow && !s.has(r, r.slowKey) {
			return // it has to end before more is published
		}
		if names := r.machine.live(); s.write(r, names) {
			r.machine.publish(names)
		}
	case stepActivate:
		if s.write(r, r.machine.published) && s.valid(r) {
			r.machine.activate()
			r.token = r.held.version
		}
	case stepWait:
		s.write(r, r.machine.published)
	}
}

// reconcile writes for a key with the token of the replica.
func (s *sim) reconcile(r *simReplica, key wire.Key) {
	for _, other := range s.replicas {
		if other != r && other.paused == 0 && s.has(other, key) {
			s.t.Fatalf("%s and %s have %v: they yield to %v and %v", r.name, other.name, key, r.machine.applied, other.machine.applied)
		}
		if other != r && other.paused == 0 && s.valid(other) && other.slow && other.slowKey == key {
			s.t.Fatalf("%s has %v while a reconcile of %s still runs", r.name, key, other.name)
		}
	}
	if last := s.tokens[key]; r.token <= last && s.owners[key] != r.name {
		s.t.Fatalf("%s has %v with token %v after %s had it with %v", r.name, key, r.token, s.owners[key], last)
	}
	s.tokens[key] = r.token
	s.owners[key] = r.name
}

// TestShardMachine lets replicas share keys while messages are late, lost or doubled,
// networks are cut, and replicas stand still for long, in the middle of a
// reconcile as well. No two that are awake believe to have a key at a time; tokens grow from
// owner to owner, and a write of one that was asleep is recognised by its token;
// and when all is well again, every key has an owner soon.
func TestShardMachine(t *testing.T) {
	fenced := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, rapid.IntRange(2, 4).Draw(t, "replicas"))
		for range 120 {
			s.disturb()
			s.round()
		}
		for _, r := range s.replicas { // all is well again
			r.cut, r.paused = false, 0
		}
		s.calm()
		fenced += s.refused
	})
	t.Logf("%d writes of replicas that had been asleep were to be refused", fenced)
}
