package controller

import (
	"context"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/internal/pause"
)

// candidate acts for the holder of the Lease of an election: a controller, or the members of
// a Leadership.
type candidate interface {
	log() *slog.Logger
	// catchUp waits until the informers show the writes that earlier holders have recorded.
	catchUp(ctx context.Context, before []lease)
	// lead begins a term that ends at a time, prolong moves its end, and resign ends it and
	// waits for everything that acts under it. prolong returns false if the term has ended.
	lead(ctx context.Context, token uint64, until time.Time)
	prolong(until time.Time) bool
	resign()
	// wrote describes the last writes, for the next holder.
	wrote() string
}

// election holds the Lease of replicas of which one leads. The Lease, its fields and its
// periods are those of client-go's leader election, so that replicas of both kinds can
// compete for it. The lease of another replica has expired when it has not changed for its
// duration by this replica's clock.
type election struct {
	cfg    Replicas
	leases *leases
	replicaStatus

	held     lease         // zero if another replica holds it
	previous lease         // of the previous holder
	seen     observedLease // the last state read while another replica holds it
}

// stand takes the Lease when it can and leads, until ctx is done.
func (e *election) stand(ctx context.Context, c candidate) error {
	e.start(c.log, e.cfg)
	defer e.stop()
	for ctx.Err() == nil {
		asked := time.Now()
		if !e.acquire(ctx, c) {
			_ = pause.For(ctx, e.cfg.retry())
			continue
		}
		e.lead(ctx, c, asked)
	}
	return nil
}

// acquire tries to take the Lease.
func (e *election) acquire(ctx context.Context, c candidate) bool {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.renew())
	defer cancel()
	asked := time.Now()
	now, err := e.leases.get(ctx, e.cfg.Name)
	absent := apierrors.IsNotFound(err)
	if err != nil && !absent {
		e.recordResult("read the lease", err)
		return false
	}
	e.recordResult("read the lease", nil)
	if now.version != e.seen.lease.version || absent {
		if who := now.holder(); who != "" && who != e.seen.lease.holder() {
			c.log().Info("another replica leads", "lease", e.cfg.Name, "identity", e.cfg.Identity, "leader", who)
		}
		e.seen = observedLease{now, time.Now()}
	}
	e.setLeader(now.holder())
	if !absent && !e.seen.expired(asked) {
		e.clearErrors()
		return false
	}
	e.previous = now
	e.held, err = e.leases.acquire(ctx, now, e.cfg.Name, nil)
	if err != nil && !isLost(err) {
		e.recordResult("take the lease", err)
		return false
	}
	e.clearErrors()
	return err == nil
}

// lead owns all keys until the Lease cannot be renewed or ctx is done.
func (e *election) lead(ctx context.Context, c candidate, asked time.Time) {
	c.catchUp(ctx, []lease{e.previous})
	token := uint64(e.held.version)
	until := asked.Add(e.cfg.valid())
	if passed(until) { // the response took too long
		return
	}
	e.activate(token)
	e.setLeader(e.cfg.Identity)
	c.log().Info("leading", "lease", e.cfg.Name, "identity", e.cfg.Identity, "token", token)
	c.lead(ctx, token, until)
	kept := e.keep(ctx, c, until)
	c.resign() // before anything else
	e.deactivate(kept)
	c.log().Info("no longer leading", "lease", e.cfg.Name, "identity", e.cfg.Identity, "released", kept)
	if kept {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.cfg.renew())
		defer cancel()
		e.recordResult("release the lease", e.leases.release(last, e.held, c.wrote()))
	}
	e.held, e.seen = lease{}, observedLease{}
}

// keep renews the Lease. It returns true when ctx is done, and false when the Lease is lost
// or was not renewed in time.
func (e *election) keep(ctx context.Context, c candidate, until time.Time) bool {
	wait := e.cfg.renew()
	for pause.For(ctx, wait) == nil {
		if passed(until) {
			return false
		}
		asked := time.Now()
		err := e.renew(ctx, until, c.wrote())
		switch {
		case ctx.Err() != nil:
			return true
		case err == nil:
			if until = asked.Add(e.cfg.valid()); !c.prolong(until) {
				return false
			}
			wait = e.cfg.renew()
		case isLost(err):
			c.log().Warn("the lease is lost to another holder", "err", err)
			return false
		default:
			e.recordResult("renew the lease", err)
			wait = min(e.cfg.retry(), time.Until(until))
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
		e.clearErrors()
	}
	return err
}

func (e *election) health() ReplicaHealth { return e.get(e.cfg) }
