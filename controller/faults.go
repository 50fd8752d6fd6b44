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

// lateStart is how long a controller waits for its sources before it logs a warning.
const startTimeout = 8 * time.Second

// log returns the logger of the controller. It looks up the default logger on each
// call.
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

// start reports whatever keeps a controller from starting.
type startMonitor struct {
	mu    sync.Mutex
	log   *faultlog.Reporter
	timer *time.Timer
	over  bool // the controller works, or never will
}

// awaitSources logs which sources are not synced, if they take long.
func (c *Controller) awaitSources() *startMonitor {
	s := &startMonitor{log: c.faults("controller: nothing is reconciled, as sources are not synced", "controller: all sources are synced")}
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

// unsynced returns an error with the sources that are not synced, and the reasons.
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
			err = errors.New("its objects are being taken")
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

// note records the result of an operation. It returns that error, or else an earlier
// error of an operation that has not succeeded since.
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

// open starts the logging of Lease errors.
func (b *replicaStatus) start(c *Controller, r Replicas) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.log = c.faults("controller: Leases cannot be used, so others take over or nobody has the keys", "controller: Leases can be used again",
		"namespace", r.Namespace, "lease", r.leaseName(), "host", r.Cluster.Host())
}

// say records the result of a Lease operation.
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

// well clears all Lease errors.
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
