package controller

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// startTimeout is how long a controller waits for its sources before it logs a warning.
const startTimeout = 8 * time.Second

// log returns the controller's logger. Each call reads the current default logger.
func (c *Controller) log() *slog.Logger {
	log := c.cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	return log.With("controller", c.cfg.Name)
}

// faults returns a reporter that writes faults to the log.
func (c *Controller) faults(fault, over string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: fault, Over: over, Logger: c.log, Attrs: attrs}
}

// startMonitor logs that a controller cannot start, with the reasons.
type startMonitor struct {
	mu    sync.Mutex
	log   *faultlog.Reporter
	timer *time.Timer
	over  bool // the controller has started, or will not start
}

// awaitSources logs the sources that are still not synced after startTimeout.
func (c *Controller) awaitSources() *startMonitor {
	s := &startMonitor{log: c.faults("controller: nothing is reconciled because sources are not synced", "controller: all sources are synced")}
	s.timer = time.AfterFunc(startTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := c.unsynced(); err != nil && !s.over {
			s.log.See(faultlog.State{Kind: "not synced", Err: err, Remedy: kube.Remedy(err)})
		}
	})
	return s
}

// begun records that all sources are synced.
func (s *startMonitor) begun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.log.See(faultlog.State{})
}

func (s *startMonitor) stop() {
	s.timer.Stop()
	s.log.Stop()
}

// unsynced returns an error that lists the sources that are not synced, with their reasons.
func (c *Controller) unsynced() error {
	var errs []error
	for _, f := range c.sources {
		select {
		case <-f.synced():
			continue
		default:
		}
		err := f.ready()
		if err == nil {
			err = errors.New("its first objects are still being enqueued")
		}
		errs = append(errs, fmt.Errorf("%s: %w", f.name(), err))
	}
	return errors.Join(errs...)
}

// leaseFaults keeps the current errors of Lease operations, by operation.
type leaseFaults struct {
	log     *faultlog.Reporter // nil before Run
	failing map[string]error
}

// record stores the result of an operation. It returns the error of the operation, or else
// the error of another operation that has not succeeded since it failed.
func (f *leaseFaults) record(what string, err error) error {
	if f.failing == nil {
		f.failing = map[string]error{}
	}
	f.failing[what] = err
	for _, what := range slices.Sorted(maps.Keys(f.failing)) {
		err = cmp.Or(err, f.failing[what])
	}
	return err
}

// start creates the reporter of Lease errors.
func (b *replicaStatus) start(c *Controller, r Replicas) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.log = c.faults("controller: Leases cannot be used, so another replica or none owns the keys", "controller: Leases can be used again",
		"namespace", r.Namespace, "lease", r.leaseName(), "host", r.Cluster.Host())
}

// recordResult stores and logs the result of a Lease operation.
func (b *replicaStatus) recordResult(what string, err error) {
	b.mu.Lock()
	err = b.faults.record(what, leaseError(what, err))
	b.health.Err = err
	log := b.faults.log
	b.mu.Unlock()
	if log == nil {
		return
	}
	if err == nil {
		log.See(faultlog.State{})
		return
	}
	remedy := kube.Remedy(err)
	if apierrors.IsForbidden(err) {
		remedy = "grant the verbs get, list, create, update and delete on leases of coordination.k8s.io in that namespace"
	}
	log.See(faultlog.State{Kind: "lease", Err: err, Remedy: remedy})
}

// clearErrors clears the errors of all Lease operations.
func (b *replicaStatus) clearErrors() {
	b.mu.Lock()
	b.faults.failing = nil
	b.mu.Unlock()
	b.recordResult("", nil)
}

func (b *replicaStatus) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.log.Stop()
}
