package controller

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/wire"
)

// election is the duty of replicas of which one leads. The Lease, its fields and
// its periods are those of client-go's leader election, so that replicas of both
// kinds get along. A lease of somebody else is over when it has not changed for
// its duration, by the own clock.
type election struct {
	cfg    Replicas
	leases *leases
	bulletin

	held   lease    // zero if it is not ours
	before lease    // of who had it before
	seen   sighting // what is known of it while it is not
}

// run leads when it can, until ctx is done.
func (e *election) run(ctx context.Context, c *Controller) error {
	e.open(c, e.cfg)
	defer e.stop()
	for ctx.Err() == nil {
		asked := time.Now()
		if !e.acquire(ctx, c) {
			sleep(ctx, e.cfg.retry())
			continue
		}
		e.lead(ctx, c, asked)
	}
	return nil
}

// acquire tries to get the Lease.
func (e *election) acquire(ctx context.Context, c *Controller) bool {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.renew())
	defer cancel()
	asked := time.Now()
	now, err := e.leases.get(ctx, e.cfg.Name)
	absent := apierrors.IsNotFound(err)
	if err != nil && !absent {
		e.say("read the lease", err)
		return false
	}
	e.say("read the lease", nil)
	if now.version != e.seen.lease.version || absent {
		if who := now.holder(); who != "" && who != e.seen.lease.holder() {
			c.log().Info("another leads", "lease", e.cfg.Name, "identity", e.cfg.Identity, "leader", who)
		}
		e.seen = sighting{now, time.Now()}
	}
	e.sayLeader(now.holder())
	if !absent && !e.seen.over(asked) {
		e.well()
		return false
	}
	e.before = now
	e.held, err = e.leases.take(ctx, now, e.cfg.Name, nil)
	if err != nil && !lost(err) {
		e.say("take the lease", err)
		return false
	}
	e.well()
	return err == nil
}

// lead has all keys, until the Lease can not be renewed or ctx is done.
func (e *election) lead(ctx context.Context, c *Controller, asked time.Time) {
	c.catchUp(ctx, []lease{e.before})
	token := uint64(e.held.version)
	until := asked.Add(e.cfg.valid())
	if past(until) { // the answer took too long
		return
	}
	e.active(token)
	e.sayLeader(e.cfg.Identity)
	c.log().Info("leads", "lease", e.cfg.Name, "identity", e.cfg.Identity, "token", token)
	c.extend(ctx, everything, func(wire.Key) bool { return false }, token, until)
	kept := e.keep(ctx, c, until)
	running := c.shift.narrow(nil, 0)
	running.join() // before anything else: they act in the name of this term
	e.idle(kept)
	c.log().Info("leads no more", "lease", e.cfg.Name, "identity", e.cfg.Identity, "released", kept)
	if kept {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.cfg.renew())
		defer cancel()
		e.say("release the lease", e.leases.release(last, e.held, c.writes.wrote()))
	}
	e.held, e.seen = lease{}, sighting{}
}

// keep renews the Lease. It returns true when ctx is done, and false when the
// Lease is lost or was not renewed in time.
func (e *election) keep(ctx context.Context, c *Controller, until time.Time) bool {
	pause := e.cfg.renew()
	for sleep(ctx, pause) {
		if past(until) {
			return false
		}
		asked := time.Now()
		err := e.renew(ctx, until, c.writes.wrote())
		switch {
		case ctx.Err() != nil:
			return true
		case err == nil:
			if until = asked.Add(e.cfg.valid()); !c.shift.renewed(until) {
				return false
			}
			pause = e.cfg.renew()
		case lost(err):
			c.log().Warn("the lease is somebody else's", "err", err)
			return false
		default:
			e.say("renew the lease", err)
			pause = min(e.cfg.retry(), time.Until(until))
		}
	}
	return true
}

// renew renews the Lease.
func (e *election) renew(ctx context.Context, until time.Time, wrote string) error {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	next := lease{object: e.held.object.DeepCopy()}
	next.annotate(wroteAnnotation, wrote)
	held, err := e.leases.renew(ctx, next.object)
	if err == nil {
		e.held = held
		e.well()
	}
	return err
}

func (e *election) health() ReplicaHealth { return e.read(e.cfg) }

// sleep waits, and reports whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(max(0, d))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// bulletin is the health of a duty, as it is told.
type bulletin struct {
	mu     sync.Mutex
	h      ReplicaHealth
	faults leaseFaults
}

func (b *bulletin) tell(f func(*ReplicaHealth)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.h)
}

func (b *bulletin) sayLeader(who string)   { b.tell(func(h *ReplicaHealth) { h.Leader = who }) }
func (b *bulletin) sayMembers(of []string) { b.tell(func(h *ReplicaHealth) { h.Members = of }) }

func (b *bulletin) active(token uint64) {
	b.tell(func(h *ReplicaHealth) {
		if !h.Active {
			h.Active, h.Since = true, time.Now()
			h.Terms++
		}
		h.Token = token
	})
}

func (b *bulletin) idle(kept bool) {
	b.tell(func(h *ReplicaHealth) {
		if h.Active {
			h.Active, h.Since, h.Token = false, time.Now(), 0
			if !kept {
				h.Lapses++
			}
		}
	})
}

func (b *bulletin) read(cfg Replicas) ReplicaHealth {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.h
	h.Mode, h.Identity = cfg.Mode, cfg.Identity
	return h
}
