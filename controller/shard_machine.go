package controller

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// shardMachine is the protocol by which replicas share keys, as a state machine. Its inputs
// are the Leases that were read and written; its output is the next step. It performs no
// I/O.
//
// Each key belongs to the replica that ranks first for it. Each replica publishes, in its
// Lease, the names of the replicas that it yields to: it has none of their keys. It yields
// to every live replica. A replica has a key if it ranks before all replicas that it yields
// to, and if all other live replicas have published that they yield to it.
//
// For every pair of replicas this is the handshake with two flags: each sets its own flag
// before it reads the other's, so that of two that start at once, at least one sees the
// other. A name leaves a published list only after its Lease has expired; by then its
// holder has stopped. A list is requested after the publication, in case the holder has
// returned in between.
type shardMachine struct {
	self string
	// others are the last known Leases of other replicas, by name.
	others map[string]*observedLease
	// published are the replicas that the Lease of this replica yields to; nil if nothing
	// is published.
	published []string
	// applied are the replicas that this replica in fact yields to, at least those in
	// published; nil if it has no keys.
	applied []string
	// listedAt is when the last list was requested.
	listedAt time.Time
}

// shardStep is the next step of a replica.
type shardStep uint8

const (
	// stepWait: do nothing until something changes.
	stepWait shardStep = iota
	// stepYield: end the reconciles of keys that yieldTo gives up, then publish live.
	stepYield
	// stepActivate: write the Lease once more, so that its version is the token. Then the
	// replica has the keys for which it ranks first among published.
	stepActivate
)

// observe records a list, the time at which it was requested, and the time of the response.
// It reports whether the list has this replica's Lease.
func (p *shardMachine) observe(asked, got time.Time, list []lease) (present bool) {
	if p.others == nil {
		p.others = map[string]*observedLease{}
	}
	listed := map[string]bool{}
	for _, l := range list {
		if l.holder() == p.self {
			present = true
			continue
		}
		listed[l.object.Name] = true
		if s := p.others[l.object.Name]; s == nil || s.lease.version != l.version {
			p.others[l.object.Name] = &observedLease{l, got}
		}
	}
	for name, s := range p.others {
		// The holder of a deleted Lease may not have noticed the deletion yet.
		if !listed[name] && s.expired(asked) {
			delete(p.others, name)
		}
	}
	p.listedAt = asked
	return present
}

// live returns the holders whose Lease had not expired when the last list was requested,
// and this replica.
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

// yieldTo returns the replicas to yield to while others may rely on the published list or
// the next list.
func (p *shardMachine) yieldTo() []string {
	both := slices.Concat(p.applied, p.live())
	slices.Sort(both)
	return slices.Compact(both)
}

// next returns the step that follows a list. A list serves for one step only: the step
// after a publication needs a list that was requested after it.
func (p *shardMachine) next() shardStep {
	switch {
	case !slices.Equal(p.published, p.live()):
		return stepYield
	case slices.Equal(p.applied, p.published):
		return stepWait
	}
	for _, s := range p.others {
		if !s.expired(p.listedAt) && !slices.Contains(s.lease.view(), p.self) {
			return stepWait // it may still have keys of this replica
		}
	}
	return stepActivate
}

// shrink records that this replica has given up all keys that yieldTo gives up.
func (p *shardMachine) shrink() {
	if p.applied != nil {
		p.applied = p.yieldTo()
	}
}

// publish records that names were published.
func (p *shardMachine) publish(names []string) { p.published = names }

// activate records that this replica has its keys among the published replicas.
func (p *shardMachine) activate() { p.applied = p.published }

// reset records that this replica's Lease has expired, or may have: it has no keys, and
// nothing counts as published.
func (p *shardMachine) reset() { p.published, p.applied = nil, nil }

// owns returns a function that reports whether a key belongs to this replica if it yields
// to some others.
func (p *shardMachine) owns(yieldTo []string) func(wire.Key) bool {
	if yieldTo == nil {
		return nil
	}
	self := p.self
	return func(key wire.Key) bool { return ranksFirst(self, yieldTo, key) }
}

// stale returns the Leases that expired long ago. Their holders do not return, because each
// process has a new identity.
func (p *shardMachine) stale() (old []lease) {
	for _, s := range p.others {
		if p.listedAt.Sub(s.firstSeen) > staleAfter*max(s.lease.duration(), time.Second) && s.expired(p.listedAt) {
			old = append(old, s.lease)
		}
	}
	return old
}

// staleAfter is the number of its durations for which an expired Lease is kept.
const staleAfter = 10
