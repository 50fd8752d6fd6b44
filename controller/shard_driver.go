package controller

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/wire"
)

// shardDriver is the coordinator of replicas that share the keys. It carries out the steps
// of the shardMachine.
type shardDriver struct {
	cfg    Replicas
	leases *leases
	replicaStatus

	machine shardMachine
	held    lease
	renewed time.Time // when the last successful write was requested
	revoked revoked   // reconciles that must end before the next publication
}

// run takes part in sharding until ctx is done, and then leaves the group.
func (s *shardDriver) run(ctx context.Context, c *Controller) error {
	s.start(c.log, s.cfg)
	defer s.stop()
	s.machine.self = s.cfg.Identity
	for again := true; ctx.Err() == nil; {
		if again = s.poll(ctx, c); !again {
			wait := time.Duration(float64(s.cfg.retry()) * (0.8 + 0.4*rand.Float64()))
			if len(s.revoked) > 0 {
				s.revoked.wait(ctx, time.Now().Add(wait))
			} else {
				_ = pause.For(ctx, wait)
			}
		}
	}
	c.ownership.revoke(nil, 0).join()
	s.deactivate(true)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.renew())
	defer cancel()
	s.recordResult("release the lease", s.leases.release(last, s.held, c.writes.wrote()))
	return nil
}

// deadline is the time from which this replica must not act on its last renewal.
func (s *shardDriver) deadline() time.Time { return s.renewed.Add(s.cfg.valid()) }

// poll lists the Leases once and carries out the next step. It reports whether the next
// step can follow at once.
func (s *shardDriver) poll(ctx context.Context, c *Controller) bool {
	if s.machine.published != nil && passed(s.deadline()) {
		s.lapse(c, "it was not renewed in time")
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.renew())
	defer cancel()
	asked := time.Now()
	list, err := s.leases.list(bounded)
	s.recordResult("list the leases", err)
	if err != nil {
		return s.renew(bounded, c)
	}
	if !s.machine.observe(asked, time.Now(), list) && s.machine.published != nil {
		s.lapse(c, "it was deleted")
	}
	s.setMembers(s.machine.live())
	switch s.machine.next() {
	case stepYield:
		return s.yield(bounded, c)
	case stepActivate:
		return s.takeKeys(bounded, ctx, c)
	}
	s.deleteStale(bounded)
	return s.renew(bounded, c)
}

// renew renews the Lease, with unchanged content, if the renewal is due.
func (s *shardDriver) renew(ctx context.Context, c *Controller) bool {
	if s.machine.published != nil && time.Since(s.renewed) >= s.cfg.renew() {
		s.write(ctx, c, s.machine.published)
	}
	return false
}

// yield gives up the keys of other replicas, waits for their reconciles, and then publishes
// the names of these replicas.
func (s *shardDriver) yield(ctx context.Context, c *Controller) bool {
	names := s.machine.live()
	s.machine.shrink()
	s.revoked = c.ownership.revoke(s.machine.owns(s.machine.applied), c.cfg.Grace)
	if !s.revoked.wait(ctx, time.Now().Add(s.cfg.retry())) {
		return s.renew(ctx, c)
	}
	s.revoked = nil
	if !s.write(ctx, c, names) {
		return false
	}
	s.machine.publish(names)
	c.log().Info("sharing the keys", "members", names, "identity", s.cfg.Identity)
	return true
}

// takeKeys takes the keys that belong to this replica among the published replicas.
func (s *shardDriver) takeKeys(ctx, onDuty context.Context, c *Controller) bool {
	before := s.machine.owns(s.machine.applied)
	if before == nil {
		before = func(wire.Key) bool { return false }
	}
	var others []lease
	for _, o := range s.machine.others {
		others = append(others, o.lease)
	}
	c.catchUp(ctx, others)
	if !s.write(ctx, c, s.machine.published) || passed(s.deadline()) {
		return false
	}
	s.machine.activate()
	token := uint64(s.held.version)
	s.activate(token)
	c.log().Info("taking keys of the shard", "members", len(s.machine.published), "identity", s.cfg.Identity, "token", token)
	c.takeOver(onDuty, s.machine.owns(s.machine.applied), before, token, s.deadline())
	return false
}

// write writes the Lease with the names of the replicas that this replica yields to.
func (s *shardDriver) write(ctx context.Context, c *Controller, names []string) bool {
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
	s.recordResult("write the lease", err)
	switch {
	case isLost(err):
		s.lapse(c, err.Error())
		return false
	case err != nil:
		return false
	}
	s.held, s.renewed = one, asked
	if s.machine.applied != nil && !c.ownership.extend(s.deadline()) {
		s.lapse(c, "it was not renewed in time")
		return false
	}
	return true
}

// join writes the first Lease. It reuses a Lease that an earlier write has created if the
// response to that write was lost.
func (s *shardDriver) join(ctx context.Context, names []string) (lease, error) {
	name := s.cfg.leaseName()
	was, err := s.leases.get(ctx, name)
	if err != nil && !isLost(err) {
		return lease{}, err
	}
	if was.object == nil {
		was, err = s.leases.acquire(ctx, lease{}, name, map[string]string{groupLabel: s.cfg.Name})
		if err != nil {
			return lease{}, err
		}
	}
	was.object = was.object.DeepCopy()
	was.setView(names)
	return s.leases.renew(ctx, was.object)
}

// lapse gives up all keys at once and resets the state machine.
func (s *shardDriver) lapse(c *Controller, why string) {
	running := c.ownership.revoke(nil, 0)
	c.log().Warn("the lease is lost", "cause", why, "identity", s.cfg.Identity, "running", len(running))
	running.join()
	s.machine.reset()
	s.held, s.revoked = lease{}, nil
	s.deactivate(false)
}

// deleteStale deletes Leases that expired long ago.
func (s *shardDriver) deleteStale(ctx context.Context) {
	old := s.machine.stale()
	if len(old) > 0 && slices.Min(s.machine.live()) == s.cfg.Identity { // only one replica deletes them
		for _, l := range old {
			err := s.leases.remove(ctx, l)
			if isLost(err) {
				err = nil
			}
			s.recordResult("delete an expired lease", err)
		}
	}
}

func (s *shardDriver) health() ReplicaHealth { return s.get(s.cfg) }
