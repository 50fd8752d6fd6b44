package controller

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// sharing is the duty of replicas of which each has a part of the keys. It carries
// out what the pact says.
type sharing struct {
	cfg    Replicas
	leases *leases
	bulletin

	pact    pact
	held    lease
	renewed time.Time // when the last write was asked for that was granted
	leaving leaving   // reconciles that have to end before more is published
}

// run takes part until ctx is done, and then leaves.
func (s *sharing) run(ctx context.Context, c *Controller) error {
	s.open(c, s.cfg)
	defer s.stop()
	s.pact.self = s.cfg.Identity
	for again := true; ctx.Err() == nil; {
		if again = s.turn(ctx, c); !again {
			wait := time.Duration(float64(s.cfg.retry()) * (0.8 + 0.4*rand.Float64()))
			if len(s.leaving) > 0 {
				s.leaving.wait(ctx, time.Now().Add(wait))
			} else {
				sleep(ctx, wait)
			}
		}
	}
	c.shift.narrow(nil, 0).join()
	s.idle(true)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.renew())
	defer cancel()
	s.say("release the lease", s.leases.release(last, s.held, c.writes.wrote()))
	return nil
}

// until is when this replica may no longer act on its last renewal.
func (s *sharing) until() time.Time { return s.renewed.Add(s.cfg.valid()) }

// turn looks once, and does what is to be done. It reports whether there is more
// to do at once.
func (s *sharing) turn(ctx context.Context, c *Controller) bool {
	if s.pact.published != nil && past(s.until()) {
		s.lapse(c, "it was not renewed in time")
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.renew())
	defer cancel()
	asked := time.Now()
	list, err := s.leases.list(bounded)
	s.say("list the leases", err)
	if err != nil {
		return s.renew(bounded, c)
	}
	if !s.pact.observe(asked, time.Now(), list) && s.pact.published != nil {
		s.lapse(c, "somebody has deleted it")
	}
	s.sayMembers(s.pact.living())
	switch s.pact.next() {
	case yield:
		return s.yield(bounded, c)
	case begin:
		return s.begin(bounded, ctx, c)
	}
	s.clean(bounded)
	return s.renew(bounded, c)
}

// renew renews the Lease if it is time, with what it says already.
func (s *sharing) renew(ctx context.Context, c *Controller) bool {
	if s.pact.published != nil && time.Since(s.renewed) >= s.cfg.renew() {
		s.write(ctx, c, s.pact.published)
	}
	return false
}

// yield gives up what others have from now on, and publishes that.
func (s *sharing) yield(ctx context.Context, c *Controller) bool {
	names := s.pact.living()
	s.pact.yielded()
	s.leaving = c.shift.narrow(s.pact.mine(s.pact.applied), c.cfg.Grace)
	if !s.leaving.wait(ctx, time.Now().Add(s.cfg.retry())) {
		return s.renew(ctx, c)
	}
	s.leaving = nil
	if !s.write(ctx, c, names) {
		return false
	}
	s.pact.publishedNow(names)
	c.log().Info("shares the keys", "with", names, "identity", s.cfg.Identity)
	return true
}

// begin takes the keys that are this replica's by what is published.
func (s *sharing) begin(ctx, onDuty context.Context, c *Controller) bool {
	before := s.pact.mine(s.pact.applied)
	if before == nil {
		before = func(wire.Key) bool { return false }
	}
	var others []lease
	for _, o := range s.pact.others {
		others = append(others, o.lease)
	}
	c.catchUp(ctx, others)
	if !s.write(ctx, c, s.pact.published) || past(s.until()) {
		return false
	}
	s.pact.begun()
	token := uint64(s.held.version)
	s.active(token)
	c.log().Info("takes its keys", "of", len(s.pact.published), "identity", s.cfg.Identity, "token", token)
	c.extend(onDuty, s.pact.mine(s.pact.applied), before, token, s.until())
	return false
}

// write writes the Lease, with those that this replica yields to.
func (s *sharing) write(ctx context.Context, c *Controller, names []string) bool {
	asked := time.Now()
	one := s.held
	var err error
	if one.object == nil {
		one, err = s.join(ctx, names)
	} else {
		one.object = one.object.DeepCopy()
		one.setView(names)
		one.annotate(wroteAnnotation, c.writes.wrote())
		one, err = s.leases.renew(ctx, one.object)
	}
	s.say("write the lease", err)
	switch {
	case lost(err):
		s.lapse(c, err.Error())
		return false
	case err != nil:
		return false
	}
	s.held, s.renewed = one, asked
	if s.pact.applied != nil && !c.shift.renewed(s.until()) {
		s.lapse(c, "it was not renewed in time")
		return false
	}
	return true
}

// join writes the first Lease, or one that a write left whose answer was lost.
func (s *sharing) join(ctx context.Context, names []string) (lease, error) {
	name := s.cfg.leaseName()
	was, err := s.leases.get(ctx, name)
	if err != nil && !lost(err) {
		return lease{}, err
	}
	if was.object == nil {
		was, err = s.leases.take(ctx, lease{}, name, map[string]string{groupLabel: s.cfg.Name})
		if err != nil {
			return lease{}, err
		}
	}
	was.object = was.object.DeepCopy()
	was.setView(names)
	return s.leases.renew(ctx, was.object)
}

// lapse gives up all keys at once, and starts from scratch.
func (s *sharing) lapse(c *Controller, why string) {
	running := c.shift.narrow(nil, 0)
	c.log().Warn("the lease is lost", "why", why, "identity", s.cfg.Identity, "running", len(running))
	running.join()
	s.pact.lapse()
	s.held, s.leaving = lease{}, nil
	s.idle(false)
}

// clean deletes Leases that were left by others long ago.
func (s *sharing) clean(ctx context.Context) {
	old := s.pact.stale()
	if len(old) > 0 && slices.Min(s.pact.living()) == s.cfg.Identity { // one does it
		for _, l := range old {
			err := s.leases.remove(ctx, l)
			if lost(err) {
				err = nil
			}
			s.say("delete a lease that was left", err)
		}
	}
}

func (s *sharing) health() ReplicaHealth { return s.read(s.cfg) }
