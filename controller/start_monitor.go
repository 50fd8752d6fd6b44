package controller

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// startTimeout is how long a controller waits for its sources before it logs a warning.
const startTimeout = 8 * time.Second

// startMonitor logs that a controller cannot start, with the reasons.
type startMonitor struct {
	mu    sync.Mutex
	log   *faultlog.Reporter
	timer *time.Timer
	over  bool // the controller has started, or will not start
}

// awaitSources logs the sources that are still not synced after startTimeout.
func (c *Controller) awaitSources() *startMonitor {
	s := &startMonitor{log: &faultlog.Reporter{
		Fault: "controller: nothing is reconciled because sources are not synced", Over: "controller: all sources are synced", Logger: c.log,
	}}
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
