package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// serving is the state that the server shows: the database, the recorders and the notifier,
// once they exist. Any goroutine may use it.
type serving struct {
	start     *startup
	mu        sync.Mutex
	d         *sqldb.DB
	recorders []*record.Recorder
	keepers   []*logkeeper.Keeper
	notifier  *notifier          // nil without one
	exporter  *jobtrace.Exporter // nil without one
	shards    *shard.Coordinator // nil without --join
}

func (s *serving) set(d *sqldb.DB, recorders []*record.Recorder, keepers []*logkeeper.Keeper, n *notifier, traces *jobtrace.Exporter, shards *shard.Coordinator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.d, s.recorders, s.keepers, s.notifier, s.exporter, s.shards = d, recorders, keepers, n, traces, shards
}

// notifying returns the notifier, or nil while no notifier runs.
func (s *serving) notifying() *notifier {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notifier
}

// health returns the health of all recorders.
func (s *serving) health() (all []record.Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.recorders {
		all = append(all, r.Health())
	}
	return all
}

// logs returns the sums of all keepers of logs.
func (s *serving) logs() (all []logkeeper.Stats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keepers {
		all = append(all, k.Stats())
	}
	return all
}

// traces returns the counters of the export of traces.
func (s *serving) traces() jobtrace.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exporter == nil {
		return jobtrace.Stats{}
	}
	return s.exporter.Stats()
}

// shares returns the counters of the shards.
func (s *serving) shares() shard.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shards == nil {
		return shard.Stats{}
	}
	return s.shards.Stats()
}

// ready returns an error for each part that is not ready.
func (s *serving) ready(ctx context.Context) error {
	s.mu.Lock()
	d := s.d
	s.mu.Unlock()
	if d == nil {
		return s.start.notReady("the recorder is starting: it checks the clusters and the database")
	}
	_, err := d.Clock(ctx)
	errs := []error{err}
	for _, h := range s.health() {
		for _, t := range h.Targets {
			why := cmp.Or(t.Err, t.Failed, t.Reflector.Err)
			switch {
			case t.Ready, t.Standby:
			case why != nil:
				errs = append(errs, fmt.Errorf("%s of %s: %w", preflight.Target{Target: t.Target}, h.Cluster, why))
			default:
				errs = append(errs, fmt.Errorf("%s of %s: the first list has not been written yet", preflight.Target{Target: t.Target}, h.Cluster))
			}
		}
	}
	return errors.Join(errs...)
}
