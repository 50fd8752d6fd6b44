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

// Phase is the stage of a controller between New and the end of Run.
type Phase uint8

const (
	// Created: Run has not been called.
	Created Phase = iota
	// Syncing: the sources have not delivered their first lists.
	Syncing
	// Working: the controller reconciles the keys of this replica.
	Working
	// Stopping: no new reconcile begins.
	Stopping
	// Stopped: Run has returned, or is about to return.
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

// Health is the state of a controller. It is a value.
type Health struct {
	Name  string
	Phase Phase
	// Sources are in the order in which they were passed to New.
	Sources []SourceHealth
	// Running are the running reconciles, oldest first.
	Running []Running
	// Waiting is the number of keys that wait until the informers show the writes of their
	// reconciles.
	Waiting int
	Queue   workqueue.Stats
	Stats   Stats
	// Replica is the status of this replica; zero if Config.Replicas is not set.
	Replica ReplicaHealth
	// Leftover is the number of keys that were still waiting when the controller stopped.
	Leftover int
}

// SourceHealth is the state of a source.
type SourceHealth struct {
	Name string
	// Synced means that the keys of all objects of the first lists were enqueued.
	Synced bool
	// Err is the reason why the informer is not ready; nil if it is ready.
	Err error
}

// Running is a running reconcile.
type Running struct {
	Key     wire.Key
	ID      string
	Attempt int
	Since   time.Time
	// Waiting means that an informer does not show the key's earlier writes yet.
	Waiting bool
	// Overdue means that the reconcile has not returned although its context has ended, or,
	// without a Timeout, after DefaultTimeout. Run cannot end before it returns.
	Overdue bool
}

// Stats are counters of a controller. All except LastErr and LastKey only grow.
type Stats struct {
	// Reconciles counts ended reconciles by Outcome; Panics counts those that panicked.
	Reconciles [outcomeCount]uint64
	Panics     uint64
	// Waits counts the reconciles that had to wait until the informers showed earlier
	// writes, Waited is the sum of these waits, and Unseen counts the reconciles that
	// started after WriteWait although the writes were not shown.
	Waits  uint64
	Waited time.Duration
	Unseen uint64
	// Unmapped counts the events for which a source's function failed, so that no key was
	// enqueued.
	Unmapped uint64
	// LastErr is the error of the last failed reconcile, and LastKey its key.
	LastErr error
	LastKey wire.Key
}

// statsRecorder updates Stats and Activity.
type statsRecorder struct {
	mu sync.Mutex
	Stats
	activity activityLog
}

func (c *statsRecorder) recordEnd(r *reconcile, o Outcome, panicked bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Reconciles[o]++
	if panicked {
		c.Panics++
	}
	if o == Failed || o == GivenUp {
		c.LastErr, c.LastKey = err, r.key
	}
	c.activity.record(r, o, err)
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

func (s *ownership) snapshot() (all []Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.inFlight {
		all = append(all, Running{Key: r.key, ID: r.id, Attempt: r.attempt, Since: r.start, Overdue: r.overdue})
	}
	for _, r := range s.parked {
		all = append(all, Running{Key: r.key, ID: r.id, Attempt: r.attempt, Since: r.start, Waiting: true})
	}
	slices.SortFunc(all, func(a, b Running) int { return a.Since.Compare(b.Since) })
	return all
}

// Ready returns nil if the controller is working, or is waiting for its turn among
// replicas. Otherwise it returns an error with the reasons, for a readiness probe.
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
