package controller

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Phase says how far a controller is.
type Phase uint8

const (
	// Created: Run was not called yet.
	Created Phase = iota
	// Syncing: the first lists of the sources are not there yet.
	Syncing
	// Working: keys are reconciled, as far as they are this replica's.
	Working
	// Stopping: no reconcile begins any more.
	Stopping
	// Stopped: Run has returned, or is about to.
	Stopped
)

var phases = [...]string{"created", "syncing", "working", "stopping", "stopped"}

// String returns the name of the phase.
func (p Phase) String() string {
	if int(p) < len(phases) {
		return phases[p]
	}
	return "unknown"
}

// Health is how a controller is, as a value.
type Health struct {
	Name  string
	Phase Phase
	// Sources are in the order in which they were handed to New.
	Sources []SourceHealth
	// Running are the reconciles that run, the oldest first.
	Running []Running
	// Waiting is how many keys wait for informers to show what their reconciles have
	// written.
	Waiting int
	Queue   workqueue.Stats
	Stats   Stats
	// Replica is this one's part among several; zero if Replicas is not set.
	Replica ReplicaHealth
	// Left is how many keys were still to be reconciled when the controller stopped.
	Leftover int
}

// SourceHealth is how a source is.
type SourceHealth struct {
	Name string
	// Synced: the keys of all objects of the first lists wait, or were reconciled.
	Synced bool
	// Err is what keeps its informer from being ready; nil if it is.
	Err error
}

// Running is a reconcile that runs.
type Running struct {
	Key     wire.Key
	ID      string
	Attempt int
	Since   time.Time
	// Waiting: for an informer to show what the key's reconciles have written.
	Waiting bool
}

// Stats counts what a controller did. They only grow, but for LastErr and LastKey.
type Stats struct {
	// Reconciles are those that have ended, by Outcome; Panics those that panicked.
	Reconciles [outcomeCount]uint64
	Panics     uint64
	// Waits counts the reconciles that had to wait until the informers showed what
	// the ones before had written, Waited how long they did together, and Unseen
	// those that began without it, as it took too long.
	Waits  uint64
	Waited time.Duration
	Unseen uint64
	// Unmapped counts events for which a source found no keys because its function
	// failed.
	Unmapped uint64
	// LastErr is the last failure of a reconcile, and LastKey its key.
	LastErr error
	LastKey wire.Key
}

// counts are Stats that are being counted.
type statsRecorder struct {
	mu sync.Mutex
	Stats
}

func (c *statsRecorder) recordEnd(o Outcome, panicked bool, key wire.Key, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Reconciles[o]++
	if panicked {
		c.Panics++
	}
	if o == Failed || o == GivenUp {
		c.LastErr, c.LastKey = err, key
	}
}

func (c *statsRecorder) recordWait(d time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Waits++
	c.Waited += d
	if err != nil {
		c.Unseen++
	}
}

func (c *Controller) mappingFailed(source string, object wire.Key, err error) {
	c.counts.mu.Lock()
	c.counts.Unmapped++
	c.counts.mu.Unlock()
	c.log().Error("no keys can be made of an event", "source", source, "object", object.String(), "err", err)
}

// Health returns how the controller is.
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

func (s *ownership) snapshot() (all []Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.inFlight {
		all = append(all, Running{Key: r.key, ID: r.id, Attempt: r.attempt, Since: r.start, Waiting: r.waiting})
	}
	slices.SortFunc(all, func(a, b Running) int { return a.Since.Compare(b.Since) })
	return all
}

// Ready returns nil if the controller works, or waits for its turn among
// replicas, and else an error that says what is missing: what a readiness probe
// wants to know.
func (h Health) Ready() error {
	var errs []error
	for _, s := range h.Sources {
		if s.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, s.Err))
		} else if !s.Synced {
			errs = append(errs, fmt.Errorf("%s: not synced", s.Name))
		}
	}
	if h.Phase != Working && len(errs) == 0 {
		errs = append(errs, errors.New(h.Phase.String()))
	}
	if len(errs) > 0 {
		return fmt.Errorf("controller %s: %w", h.Name, errors.Join(errs...))
	}
	return nil
}
