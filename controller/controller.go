package controller

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/userlog"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Controller reconciles keys. Create it with New; any goroutine may use it.
type Controller struct {
	cfg         Config
	sources     []untypedSource
	queue       *workqueue.Queue[wire.Key]
	ownership   *ownership
	monitor     *overdueMonitor
	writes      *writeTracker
	counts      statsRecorder
	ids         idSequence
	coordinator coordinator // nil if there is one replica

	workers  sync.WaitGroup
	parked   sync.WaitGroup // keys that wait for their own writes
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

// name returns the name in the configuration.
func (c *Controller) name() string { return c.cfg.Name }

// log returns the controller's logger. Each call reads the current default logger.
func (c *Controller) log() *slog.Logger {
	return userlog.Of(c.cfg.Logger).With("controller", c.cfg.Name)
}

func (c *Controller) mappingFailed(source string, object wire.Key, err error) {
	c.counts.mu.Lock()
	c.counts.Unmapped++
	c.counts.mu.Unlock()
	c.log().Error("the keys of an event could not be computed; the event is skipped", "source", source, "object", object.String(), "err", err)
}

// Health returns the current state of the controller.
func (c *Controller) Health() Health {
	h := Health{Name: c.cfg.Name, Queue: c.queue.Stats(), Waiting: c.writes.waiting()}
	c.counts.mu.Lock()
	h.Stats = c.counts.Stats
	c.counts.mu.Unlock()
	c.mu.Lock()
	h.Phase, h.Leftover = c.phase, c.leftover
	c.mu.Unlock()
	for _, f := range c.sources {
		s := SourceHealth{Name: f.name(), Err: f.ready()}
		select {
		case <-f.synced():
			s.Synced = true
		default:
		}
		h.Sources = append(h.Sources, s)
	}
	if c.coordinator != nil {
		h.Replica = c.coordinator.health()
	}
	h.Running = c.ownership.snapshot()
	return h
}

// Activity returns the reconciles that ended last, and the keys that fail.
func (c *Controller) Activity() Activity {
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	return c.counts.activity.activity()
}
