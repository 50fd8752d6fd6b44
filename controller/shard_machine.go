package controller

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// pact is the protocol by which replicas share keys, as a machine that is told
// what was read and written, and says what to do next. It does nothing itself.
//
// Of two replicas, the one that beats the other has a key. Each publishes, in its
// Lease, the names of those that it yields to: of their keys it has none. A
// replica has a key if it beats all that it yields to, and all others that live
// have published that they yield to it. It yields to everyone who lives.
//
// For every pair this is the handshake of two flags: each raises its own before it
// looks at the other's, so at least one of two that start at once sees the other.
// Names are left out of a published list only after their Lease was over, by which
// time its holder has stopped; and a list is asked for after the publication, in
// case the holder was back before.
type shardMachine struct {
	self string
	// others are the Leases of others that there are, by name.
	others map[string]*observedLease
	// published are those that this replica is known to yield to; nil: none are.
	published []string
	// applied are those that it does yield to, at least those that are published;
	// nil: it has no keys.
	applied []string
	// asked is when the last list was asked for.
	listedAt time.Time
}

// step is what to do next.
type shardStep uint8

const (
	// rest: nothing, until something changes.
	stepWait shardStep = iota
	// yield: stop what pact.yielding does not leave, then publish pact.living.
	stepYield
	// begin: write the Lease once more: its version is the token. Then keys are to be
	// had by what is published.
	stepActivate
)

// observe notes a list, when it was asked for, and when the answer was there. It
// reports whether this replica's own Lease is in it.
func (p *shardMachine) observe(asked, got time.Time, list []lease) (present bool) {
	if p.others == nil {
		p.others = map[string]*observedLease{}
	}
	there := map[string]bool{}
	for _, l := range list {
		if l.holder() == p.self {
			present = true
			continue
		}
		there[l.object.Name] = true
		if s := p.others[l.object.Name]; s == nil || s.lease.version != l.version {
			p.others[l.object.Name] = &observedLease{l, got}
		}
	}
	for name, s := range p.others {
		// One that somebody has deleted may still have a holder who does not know.
		if !there[name] && s.expired(asked) {
			delete(p.others, name)
		}
	}
	p.listedAt = asked
	return present
}

// living are those whose Lease was not over when the list was asked for, and this
// replica.
func (p *shardMachine) live() []string {
	names := []string{p.self}
	for _, s := range p.others {
		if !s.expired(p.listedAt) {
			names = append(names, s.lease.holder())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// yielding are those to yield to while others may believe in what was published as
// well as in what is about to be.
func (p *shardMachine) yieldTo() []string {
	both := slices.Concat(p.applied, p.live())
	slices.Sort(both)
	return slices.Compact(both)
}

// next says what to do after a list. Each list is for one step only: what comes
// after a publication rests on a list that was asked for after it.
func (p *shardMachine) next() shardStep {
	switch {
	case !slices.Equal(p.published, p.live()):
		return stepYield
	case slices.Equal(p.applied, p.published):
		return stepWait
	}
	for _, s := range p.others {
		if !s.expired(p.listedAt) && !slices.Contains(s.lease.view(), p.self) {
			return stepWait // he may have keys of ours still
		}
	}
	return stepActivate
}

// yielded notes that what runs is only what yielding leaves.
func (p *shardMachine) shrink() {
	if p.applied != nil {
		p.applied = p.yieldTo()
	}
}

// publishedNow notes that names were published.
func (p *shardMachine) publish(names []string) { p.published = names }

// begun notes that keys are to be had by what is published.
func (p *shardMachine) activate() { p.applied = p.published }

// lapse notes that the own Lease was over, or may have been: there are no keys,
// and nothing counts as published.
func (p *shardMachine) reset() { p.published, p.applied = nil, nil }

// mine returns which keys are this replica's if it yields to some.
func (p *shardMachine) owns(yieldTo []string) func(wire.Key) bool {
	if yieldTo == nil {
		return nil
	}
	self := p.self
	return func(key wire.Key) bool { return ranksFirst(self, yieldTo, key) }
}

// stale are Leases that were over long ago: nobody will come back to them.
func (p *shardMachine) stale() (old []lease) {
	for _, s := range p.others {
		if p.listedAt.Sub(s.firstSeen) > staleAfter*max(s.lease.duration(), time.Second) && s.expired(p.listedAt) {
			old = append(old, s.lease)
		}
	}
	return old
}

// staleAfter is how many of its durations a Lease is kept that nobody renews.
const staleAfter = 10
