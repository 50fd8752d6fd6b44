package controller

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// TestRendezvous: shares are even, also among names that differ only in their last letter.
// When a member leaves, only its keys move.
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
				t.Fatalf("key %v has owners %v among %v, want one", key, owners, of)
			}
			return owners[0]
		}
		count := map[string]int{}
		for i := range keys {
			key := wire.Key{Namespace: "default", Name: fmt.Sprint("job-", i)}
			was := owner(names, key)
			count[was]++
			if is := owner(names[1:], key); was != names[0] && is != was {
				t.Fatalf("key %v moves from %s to %s when %s leaves", key, was, is, names[0])
			}
		}
		for name, c := range count {
			if c < keys/n*9/10 || c > keys/n*11/10 {
				t.Errorf("%s has %d of %d keys, want about 1/%d", name, c, keys, n)
			}
		}
	}
}

// TestDeletedLease: a deleted Lease counts until it would have expired, because its holder
// may not have noticed. A released Lease does not count.
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
		t.Errorf("existing Lease: got live %s, want [a b]", got)
	}
	if got := at(simLease - 1); got != "[a b]" {
		t.Errorf("deleted Lease, not expired: got live %s, want [a b]", got)
	}
	if got := at(simLease); got != "[a]" {
		t.Errorf("deleted Lease, expired: got live %s, want [a]", got)
	}
	l, _ = s.put("b", l.version, []string{"b"})
	at(simLease, l)
	nobody := ""
	released := lease{l.object.DeepCopy(), l.version + 1}
	released.object.Spec.HolderIdentity = &nobody
	if got := at(simLease+1, released); got != "[a]" {
		t.Errorf("released Lease: got live %s, want [a]", got)
	}
	if got := p.stale(); len(got) != 0 {
		t.Errorf("stale after one duration: got %v, want none", got)
	}
	at(12*simLease, released)
	if got := p.stale(); len(got) != 1 {
		t.Errorf("stale after 11 durations: got %v, want one", got)
	}
}

const (
	simLease = 15 * time.Second
	simKeys  = 24
)

// simReplica is a simulated replica: a shardMachine, and its driver in simulated time. Its
// messages may be late or lost.
type simReplica struct {
	machine shardMachine
	name    string
	held    *lease
	renewed time.Time
	token   wire.Version
	paused  int  // rounds
	cut     bool // cannot reach the server
	mail    []func(s *sim)
	// slow means that a reconcile of slowKey, with slowToken, runs across steps.
	slow      bool
	slowKey   wire.Key
	slowToken wire.Version
}

// sim is a set of replicas, and a server that stores their Leases and the tokens of their
// writes.
type sim struct {
	t        *rapid.T
	now      time.Time
	version  wire.Version
	leases   map[string]lease
	replicas []*simReplica
	tokens   map[wire.Key]wire.Version // highest token of a write, by key
	refused  int
	quiet    bool                // no more faults
	owners   map[wire.Key]string // last writer, by key
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

// disturb injects or ends a fault.
func (s *sim) disturb() {
	r := s.replicas[rapid.IntRange(0, len(s.replicas)-1).Draw(s.t, "whom")]
	switch rapid.IntRange(0, 11).Draw(s.t, "what") {
	case 0:
		r.paused = rapid.IntRange(1, 20).Draw(s.t, "rounds of sleep")
	case 1:
		r.cut = !r.cut
	case 2: // crash, and restart with a new identity
		r.machine, r.held, r.slow, r.cut, r.paused = shardMachine{}, nil, false, false, 0
		r.name += "'"
		r.machine.self = r.name
	case 3: // clean stop
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
	case 4: // a late message arrives
		if len(r.mail) > 0 {
			r.mail[0](s)
			r.mail = r.mail[1:]
		}
	}
}

// round lets all replicas that are not paused act, in random order.
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

// act reconciles some keys. One reconcile may continue into the next rounds.
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

// wake resumes a replica that was paused in the middle of a reconcile. Its first action is
// a write.
func (s *sim) wake(r *simReplica) {
	if !r.slow {
		return
	}
	if r.slowToken < s.tokens[r.slowKey] {
		s.refused++ // as by Fence
	} else {
		s.tokens[r.slowKey] = r.slowToken
	}
	r.slow = false
}

// calm runs without faults until every key must have one owner.
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
			s.t.Fatalf("without faults key %v has %d owners, want 1", simKey(i), owners)
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

// bad reports whether to inject a fault now.
func (s *sim) bad(what string) bool { return !s.quiet && rapid.IntRange(0, 9).Draw(s.t, what) == 0 }

// put writes a Lease if it still has the version that was read.
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

// write is shardDriver.write. The request or the response may be lost.
func (s *sim) write(r *simReplica, view []string) bool {
	asked := s.now
	var was wire.Version
	if r.held != nil {
		was = r.held.version
	} else {
		was = s.leases[r.name].version // join reads it
	}
	if r.cut || s.bad("request lost") {
		return false
	}
	if s.bad("late") { // it arrives after the replica has given up waiting
		r.mail = append(r.mail, func(s *sim) { s.put(r.name, was, view) })
		return false
	}
	l, ok := s.put(r.name, was, view)
	if !ok { // an earlier write has arrived: read the Lease and write again
		l, ok = s.put(r.name, s.leases[r.name].version, view)
	}
	if !ok {
		s.lapse(r)
		return false
	}
	if s.bad("response lost") {
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
	r.held, r.slow = nil, false // the reconcile is canceled and has returned
}

// poll is shardDriver.poll.
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
			return // the reconcile must end before the next publication
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
			s.t.Fatalf("both %s and %s own key %v: they yield to %v and %v", r.name, other.name, key, r.machine.applied, other.machine.applied)
		}
		if other != r && other.paused == 0 && s.valid(other) && other.slow && other.slowKey == key {
			s.t.Fatalf("%s owns key %v while a reconcile of %s still runs", r.name, key, other.name)
		}
	}
	if last := s.tokens[key]; r.token <= last && s.owners[key] != r.name {
		s.t.Fatalf("%s owns key %v with token %v after %s had it with token %v", r.name, key, r.token, s.owners[key], last)
	}
	s.tokens[key] = r.token
	s.owners[key] = r.name
}

// TestShardMachine simulates replicas that share keys while messages are late, lost or
// duplicated, networks are partitioned, and replicas are paused for long, also in the
// middle of a reconcile. It checks three invariants. No two running replicas own a key at a
// time. Tokens grow from owner to owner, so that a write of a replica that was paused can
// be rejected by its token. After the faults end, every key soon has an owner.
func TestShardMachine(t *testing.T) {
	fenced := 0
	testinput.Check(t, func(t *rapid.T) {
		s := newSim(t, rapid.IntRange(2, 4).Draw(t, "replicas"))
		for range 120 {
			s.disturb()
			s.round()
		}
		for _, r := range s.replicas { // end all faults
			r.cut, r.paused = false, 0
		}
		s.calm()
		fenced += s.refused
	})
	t.Logf("%d writes of paused replicas were rejected by their tokens", fenced)
}
