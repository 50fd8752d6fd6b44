package controller

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/internal/overdue"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// New returns a controller of the keys of some sources. It starts nothing; Run does.
//
// Errors: an invalid configuration.
func New(cfg Config, sources ...Source) (*Controller, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(sources); err != nil {
		return nil, err
	}
	if cfg.Leadership != nil {
		cfg.Replicas = cfg.Leadership.cfg
	}
	c := &Controller{
		cfg:    cfg,
		ids:    idSequence{first: rand.Uint32()},
		failed: make(chan error, 1),
	}
	c.monitor = &overdueMonitor{log: c.log}
	c.ownership = newOwnership(cmp.Or(cfg.Timeout, DefaultTimeout), c.monitor.report)
	c.monitor.ownership = c.ownership
	c.queue = workqueue.New(workqueue.Config[wire.Key]{
		Group: cfg.Group, Limiter: cfg.Limiter, CrashOnPanic: cfg.Panics == informer.CrashOnPanic,
		Report: func(err error) {
			c.log().Error("a function of the controller panicked; its later panics are not logged", "err", err)
		},
	})
	for _, s := range sources {
		c.sources = append(c.sources, s.impl)
	}
	c.writes = newWriteTracker(c.sources, cfg.Replicas.Cluster)
	if cfg.Leadership != nil {
		cfg.Leadership.expect(c)
		c.coordinator = electedTogether{cfg.Leadership}
		return c, nil
	}
	var err error
	c.coordinator, err = cfg.Replicas.coordinator()
	return c, err
}

// Run reconciles until ctx is done. It first waits until all sources are synced. With
// Replicas, a replica that owns no keys keeps its informers synced. When ctx is done, Run
// begins no more reconciles and waits for the running ones for Config.Grace. Then it
// cancels the others and waits for them, releases its lease, and returns nil.
// Health.Leftover counts the keys that were not reconciled; the next process or owner finds
// them again. Run may be called once. It leaves no goroutine when it returns.
//
// Errors: ErrRunTwice; the error of one of Config.Runners that ended before ctx; a
// *PanicError if the policy is StopOnPanic.
func (c *Controller) Run(ctx context.Context) error {
	if !c.transition(Created, Syncing) {
		return ErrRunTwice
	}
	outer := context.WithoutCancel(ctx)
	runs, stopRuns := context.WithCancel(outer)
	defer c.transition(Stopping, Stopped)
	var runners sync.WaitGroup
	defer runners.Wait()
	defer stopRuns()
	for _, r := range c.cfg.Runners {
		runners.Go(func() {
			run := overdue.Reporting(c.log, fmt.Sprintf("%T of Config.Runners", r), r.Run)
			err := guard.Call(func() error { return run(runs) })
			if err == nil && runs.Err() == nil {
				err = errEnded
			}
			if err != nil {
				c.fail(fmt.Errorf("controller %s: one of Config.Runners has ended: %w", c.cfg.Name, err))
			}
		})
	}
	c.base = outer
	if c.coordinator == nil {
		c.ownership.grant(allKeys, 0, time.Time{})
	}
	err := c.attach()
	if err == nil {
		err = c.run(ctx)
	}
	for _, f := range c.sources {
		f.detach()
	}
	c.drain()
	return err
}

func (c *Controller) attach() error {
	for _, f := range c.sources {
		if err := f.attach(c); err != nil {
			return fmt.Errorf("controller %s: %w", c.cfg.Name, err)
		}
	}
	return nil
}

// run is Run while the sources are attached.
func (c *Controller) run(ctx context.Context) error {
	start := c.awaitSources()
	defer start.stop()
	for _, f := range c.sources {
		select {
		case <-f.synced():
		case err := <-c.failed:
			c.transition(Syncing, Stopping)
			return err
		case <-ctx.Done():
			c.transition(Syncing, Stopping)
			return nil
		}
	}
	start.begun()
	c.transition(Syncing, Working)
	working, halt := context.WithCancel(ctx)
	defer halt()
	for range c.cfg.Workers {
		c.workers.Go(func() { c.work(working) })
	}
	onDuty, endDuty := context.WithCancel(c.base)
	defer endDuty()
	var serving sync.WaitGroup
	if c.coordinator != nil {
		serving.Go(func() {
			if err := c.coordinator.run(onDuty, c); err != nil {
				c.fail(err)
			}
		})
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-c.failed:
	}
	c.transition(Working, Stopping)
	halt()
	c.joinWorkers()
	endDuty() // only now: the lease must cover all reconciles
	serving.Wait()
	c.ownership.close()
	c.monitor.close()
	c.sweeping.Wait()
	return err
}

// joinWorkers waits for the running reconciles, and ends their contexts when the grace
// period is over. The log names those that do not return even then.
func (c *Controller) joinWorkers() {
	patience := time.AfterFunc(c.cfg.Grace, func() { c.ownership.cancelAll(ErrStopping) })
	defer patience.Stop()
	overdue := time.AfterFunc(c.cfg.Grace+returnTime, c.monitor.reportEnd)
	defer overdue.Stop()
	c.workers.Wait()
	c.parked.Wait()
}

// drain closes the queue and counts the keys that are left.
func (c *Controller) drain() {
	now, cancel := context.WithCancel(c.base)
	cancel()
	left, _ := c.queue.Drain(now) // the only error is that it did not wait
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leftover = len(left)
}

// coordinator returns the coordinator for the mode; nil for SingleReplica.
func (r Replicas) coordinator() (coordinator, error) {
	if r.Mode == SingleReplica {
		return nil, nil
	}
	leases, err := newLeases(r)
	if err != nil {
		return nil, err
	}
	if r.Mode == LeaderElection {
		return elected{&election{cfg: r, leases: leases}}, nil
	}
	return &shardDriver{cfg: r, leases: leases}, nil
}
