package controller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Controller reconciles keys. Create it with New; any goroutine may use it.
type Controller struct {
	cfg         Config
	sources     []untypedSource
	queue       *workqueue.Queue[wire.Key]
	ownership   *ownership
	writes      *writeTracker
	counts      statsRecorder
	ids         idSequence
	coordinator coordinator // nil if there is one replica

	workers  sync.WaitGroup
	sweeping sync.WaitGroup
	base     context.Context // of reconciles; set by Run before the first
	failed   chan error      // what ends Run, besides its context

	mu       sync.Mutex
	phase    Phase
	leftover int
}

// coordinator decides which keys this replica owns. run blocks until ctx is done, and then
// releases the keys.
type coordinator interface {
	run(ctx context.Context, c *Controller) error
	health() ReplicaHealth
}

// New returns a controller of the keys of some sources. It starts nothing; Run does.
//
// Errors: an invalid configuration.
func New(cfg Config, sources ...Source) (*Controller, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(sources); err != nil {
		return nil, err
	}
	c := &Controller{
		cfg:       cfg,
		queue:     workqueue.New(workqueue.Config[wire.Key]{Group: cfg.Group, Limiter: cfg.Limiter}),
		ownership: newOwnership(),
		ids:       idSequence{first: rand.Uint32()},
		failed:    make(chan error, 1),
	}
	for _, s := range sources {
		c.sources = append(c.sources, s.impl)
	}
	c.writes = newWriteTracker(c.sources, cfg.Replicas.Cluster)
	var err error
	c.coordinator, err = cfg.Replicas.coordinator()
	return c, err
}

// Reconcile watches the objects of an informer, and reconciles the key of each
// that exists or changes, until ctx is done; then it returns nil. It runs the
// informer, unless the informer was run before or a factory runs it. It is New with
// one source and the defaults, followed by Run.
//
// Errors: those of New, of Run and of the informer.
func Reconcile[T any](ctx context.Context, i *informer.Informer[T], f Func) error {
	cfg := Config{Reconcile: f}
	if i != nil {
		cfg.Runners = []Runner{runnerOf[T]{i}}
	}
	c, err := New(cfg, Objects(i, SourceConfig{}))
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// runnerOf runs an informer unless something else runs it.
type runnerOf[T any] struct{ informer *informer.Informer[T] }

// Run implements Runner.
func (r runnerOf[T]) Run(ctx context.Context) error {
	ran, err := r.informer.TryRun(ctx)
	if !ran {
		<-ctx.Done()
	}
	return err
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
			err := r.Run(runs)
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
	c.sweeping.Wait()
	return err
}

// joinWorkers waits for the running reconciles, and ends their contexts when the grace
// period is over.
func (c *Controller) joinWorkers() {
	patience := time.AfterFunc(c.cfg.Grace, func() { c.ownership.cancelAll(ErrStopping) })
	defer patience.Stop()
	c.workers.Wait()
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

// fail ends Run with an error, unless an earlier error has ended it.
func (c *Controller) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

// transition changes the phase. It reports whether the controller was in the former phase.
func (c *Controller) transition(from, to Phase) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != from && to != Stopped {
		return false
	}
	c.phase = to
	return true
}

// enqueue enqueues the keys of a batch that this replica owns.
func (c *Controller) enqueue(b batch, priority int8) error {
	keys := c.ownership.accept(b)
	if len(keys) == 0 {
		return nil
	}
	_, err := c.queue.AddAll(context.Background(), keys, workqueue.Options{Priority: priority})
	if errors.Is(err, workqueue.ErrClosed) {
		return nil // the controller has stopped
	}
	return err
}

// Trigger enqueues keys with a priority and a delay, as a change of an object would. It is
// for events that do not come from an informer. With Replicas, only the replica that owns a
// key enqueues it, so call Trigger on all replicas.
//
// Errors: workqueue.ErrClosed if the controller has stopped.
func (c *Controller) Trigger(o workqueue.Options, keys ...wire.Key) error {
	var b batch
	for _, key := range keys {
		b.add(key, Reason{})
	}
	_, err := c.queue.AddAll(context.Background(), c.ownership.accept(b), o)
	return err
}

// takeOver makes this replica the owner of keys. It enqueues the keys that this replica
// recently missed at once, and the keys of all other objects with the lower priority of
// initial objects.
func (c *Controller) takeOver(ctx context.Context, mine, before func(wire.Key) bool, token uint64, until time.Time) {
	var b batch
	for _, key := range c.ownership.grant(mine, token, until) {
		b.add(key, Reason{Cause: Initial})
	}
	if err := c.enqueue(b, 0); err != nil {
		c.log().Error("the keys that were taken over could not be enqueued", "err", err)
	}
	c.sweeping.Go(func() {
		for _, f := range c.sources {
			f.enqueueAll(ctx, c, func(key wire.Key) bool { return mine(key) && !before(key) })
		}
	})
}

// idSequence numbers reconciles. The random prefix distinguishes the numbers of several
// processes.
type idSequence struct {
	first uint32
	n     atomic.Uint64
}

func (i *idSequence) next() string { return fmt.Sprintf("%08x-%d", i.first, i.n.Add(1)) }
