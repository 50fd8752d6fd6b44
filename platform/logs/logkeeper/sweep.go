package logkeeper

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/store"
)

// sweeper finds the logs of runs that ended before the keeper saw them: while no recorder
// ran, or while the queue was full.
type sweeper struct {
	fetches *fetches
	roster  *roster
	// pods returns all current pods.
	pods func() *store.Snapshot
}

// Limits of a sweep.
const (
	sweepBatch = 100 // maximum pods in one query of the store
	sweepEvery = 5 * time.Second
	sweepPause = 100 * time.Millisecond // while there is no room
)

// run sweeps once, and again after tasks found no room, until ctx ends.
func (s *sweeper) run(ctx context.Context) {
	for {
		if !s.sweep(ctx) {
			return
		}
		for !s.fetches.takeMissed() {
			if pause.For(ctx, sweepEvery) != nil {
				return
			}
		}
	}
}

// sweep requests the logs of all ended runs that are not in the store. It returns false if
// ctx ends.
func (s *sweeper) sweep(ctx context.Context) bool {
	var batch []task
	pods := map[string]bool{}
	for e := range s.pods().All() {
		if selected, _ := s.roster.decided(e.UID()); !selected {
			continue
		}
		pod, there := s.fetches.lookup(e.Key(), e.UID())
		if !there {
			continue
		}
		for _, end := range endings(pod) {
			if t := newTask(pod, end, true, time.Time{}); s.roster.swept(t.id()) {
				batch = append(batch, t)
				pods[t.uid] = true
			}
		}
		if len(pods) >= sweepBatch {
			if !s.add(ctx, batch) {
				return false
			}
			batch = nil
			clear(pods)
		}
	}
	return s.add(ctx, batch)
}

// add requests the logs that are not in the store. It waits for room in the queue.
func (s *sweeper) add(ctx context.Context, batch []task) bool {
	kept, ok := s.kept(ctx, batch)
	if !ok {
		return false
	}
	for _, t := range batch {
		if kept[t.id()] {
			s.fetches.count.change(func(s *Stats) { s.Duplicates++ })
			continue
		}
		for !s.fetches.hasRoom() {
			if pause.For(ctx, sweepPause) != nil {
				return false
			}
		}
		s.fetches.add(t, old)
	}
	return true
}

// kept returns the runs whose logs are in the store. It retries until the store answers or
// ctx ends.
func (s *sweeper) kept(ctx context.Context, batch []task) (kept map[runID]bool, ok bool) {
	kept = map[runID]bool{}
	var uids []string
	for _, t := range batch {
		if len(uids) == 0 || uids[len(uids)-1] != t.uid {
			uids = append(uids, t.uid)
		}
	}
	for delay := firstDelay; len(uids) > 0; delay = min(2*delay, maxDelay) {
		logs, err := s.fetches.cfg.Store.Of(ctx, joblog.Selection{UIDs: uids})
		if err == nil {
			for i := range logs {
				// A log without lines whose loss is known is not requested again either.
				if l := &logs[i]; l.Complete || !l.Ended.IsZero() && l.Lost != "" {
					kept[runID{l.PodUID, l.Container, l.Restart}] = true
				}
			}
			return kept, true
		}
		if pause.For(ctx, delay) != nil {
			return nil, false
		}
	}
	return kept, true
}
