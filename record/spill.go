package record

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// spilling is the state of a follower while the database is away.
type spilling struct {
	f       *follower
	listing bool   // a list is on its way where the next batch begins
	held    []item // what came last, and did not fit into the spool
}

// take writes a batch, or spills it and all that comes until the database is back. It
// returns whether a list is on its way at its end.
//
// Errors: the spool is damaged; the cause of ctx.
func (f *follower) take(ctx context.Context, some []item, listing bool) (bool, error) {
	err := f.write(ctx, some, f.r.patience())
	if !errors.Is(err, errAway) {
		return endsInList(some, listing), err
	}
	f.log.Warn("the database is away: what comes is spilled", "dir", f.r.cfg.Spill.Dir)
	s := spilling{f: f, listing: listing}
	s.spill(some)
	wait := firstWait
	for !f.spool.empty() || s.held != nil {
		err := s.writeOldest(ctx)
		pause := time.Duration(0)
		switch {
		case err == nil:
			wait = firstWait
		case ctx.Err() != nil:
			return s.listing, context.Cause(ctx)
		case !errors.Is(err, errAway):
			return s.listing, err
		default:
			pause, wait = wait, min(2*wait, longestWait)
		}
		s.collect(ctx, pause)
	}
	f.log.Info("what was spilled is written")
	return s.listing, nil
}

// endsInList reports whether a list is on its way at the end of a batch.
func endsInList(items []item, listing bool) bool {
	for i := range items {
		switch items[i].Kind {
		case delta.Begin:
			listing = true
		case delta.End:
			listing = false
		case delta.Upsert, delta.Delete, delta.Keep, delta.Bookmark, delta.Leave:
		}
	}
	return listing
}

// spill appends a batch to the spool, or holds it where that can not be done.
func (s *spilling) spill(some []item) {
	middle := s.listing
	s.listing = endsInList(some, s.listing)
	scrubbed, err := s.f.scrub(some)
	if err == nil {
		err = s.f.spool.append(scrubbed, middle)
	}
	if err == nil {
		return
	}
	s.f.log.Error("nothing more is spilled: the server is read no further until the database is back", "err", err)
	s.held = slices.Clone(some) // the batch is the queue's
}

// writeOldest writes what has waited longest.
func (s *spilling) writeOldest(ctx context.Context) error {
	const once = time.Nanosecond
	if s.f.spool.empty() {
		err := s.f.write(ctx, s.held, once)
		if err == nil {
			s.held = nil
		}
		return err
	}
	batch, err := s.f.spool.first()
	if err != nil {
		return errors.Join(err, s.f.spool.clear())
	}
	if err := s.f.write(ctx, batch.items, once); err != nil {
		return err
	}
	return s.f.spool.drop(batch)
}

// collect spills what comes within a time; if that is 0, what has come.
func (s *spilling) collect(ctx context.Context, pause time.Duration) {
	if pause > 0 {
		timed, cancel := context.WithTimeout(ctx, pause)
		defer cancel()
		for s.held == nil {
			some, err := s.f.queue.queue.Get(timed)
			if err != nil {
				break // the time is over, or nothing more comes
			}
			s.spill(some)
		}
		<-timed.Done()
		return
	}
	if n, _ := s.f.queue.queue.Len(); n == 0 || s.held != nil {
		return
	}
	if some, err := s.f.queue.queue.Get(ctx); err == nil {
		s.spill(some)
	}
}

// writeLeftovers writes what a process before has spilled.
func (f *follower) writeLeftovers(ctx context.Context) error {
	f.log.Info("what was spilled before is being written", "bytes", f.spool.size.Load())
	for first := true; !f.spool.empty(); first = false {
		batch, err := f.spool.first()
		if err == nil && first && batch.middle {
			err = errors.New("it begins within a list")
		}
		if err != nil {
			f.log.Warn("what was spilled before can not be used: the server is asked for it again", "err", err)
			return f.spool.clear()
		}
		if err := f.write(ctx, batch.items, 0); err != nil {
			return err
		}
		if err := f.spool.drop(batch); err != nil {
			return err
		}
	}
	return nil
}

// scrub cuts out of bodies what must not be written to a disk.
func (f *follower) scrub(some []item) ([]item, error) {
	if !f.lens.hides {
		return some, nil
	}
	clean := slices.Clone(some)
	for i := range clean {
		d := &clean[i]
		if d.Kind != delta.Upsert && (d.Kind != delta.Delete || d.Err != nil) {
			continue
		}
		s, err := d.sighting(&f.lens, Watched)
		if err != nil {
			d.Record.Body = nil // it is noted as one that can not be used
			continue
		}
		d.Record.Body = s.body
	}
	return clean, nil
}
