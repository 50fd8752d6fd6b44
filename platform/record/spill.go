package record

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/spool"
)

// spiller writes batches to the database. While the database is unavailable, it spills them
// to disk. It belongs to the writing goroutine.
type spiller struct {
	writer  *writer
	spool   *spool.Spool
	queue   *delta.QueueOf[item]
	cfg     *Spill
	listing bool   // a list is incomplete at the end of the last batch
	held    []item // the last batch, if the spool did not accept it
}

func newSpiller(w *writer, s *spool.Spool, queue *delta.QueueOf[item], cfg *Spill) *spiller {
	return &spiller{writer: w, spool: s, queue: queue, cfg: cfg}
}

func (s *spiller) log() *slog.Logger { return s.writer.log }

// write writes a batch. If the database is unavailable, write spills this batch and the
// following ones, and returns when the database has all of them.
//
// Errors: the spool is damaged; the cause of ctx.
func (s *spiller) write(ctx context.Context, items []item) error {
	err := s.writer.write(ctx, items, s.cfg.After)
	if !errors.Is(err, errUnavailable) {
		s.listing = endsInList(items, s.listing)
		return err
	}
	s.log().Warn("the database is unavailable: spilling to disk", "dir", s.cfg.Dir)
	s.spill(items)
	delay := firstDelay
	for !s.spool.Empty() || s.held != nil {
		err := s.writeOldest(ctx)
		pause := time.Duration(0)
		switch {
		case err == nil:
			delay = firstDelay
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, errUnavailable):
			return err
		default:
			pause, delay = delay, nextDelay(delay)
		}
		s.collect(ctx, pause)
	}
	s.log().Info("the database has all spilled batches")
	return nil
}

// endsInList reports whether a list is incomplete at the end of a batch. listing reports
// the same for the beginning of the batch.
func endsInList(items []item, listing bool) bool {
	for i := range items {
		switch items[i].Kind {
		case delta.Begin:
			listing = true
		case delta.End, delta.Abandon:
			listing = false
		case delta.Upsert, delta.Delete, delta.Keep, delta.Bookmark, delta.Leave:
		}
	}
	return listing
}

// spill appends a batch to the spool, or holds it in memory if that fails.
func (s *spiller) spill(items []item) {
	middle := s.listing
	s.listing = endsInList(items, s.listing)
	err := s.spool.Push(spilledDeltas(s.writer.planner.projection, items), middle)
	if err != nil {
		s.log().Error("cannot spill more; reading from the server stops until the database is available", "err", err)
		s.held = slices.Clone(items) // the queue reuses the batch
	}
}

// writeOldest makes one attempt to write the oldest batch.
func (s *spiller) writeOldest(ctx context.Context) error {
	const once = time.Nanosecond
	if s.spool.Empty() {
		err := s.writer.write(ctx, s.held, once)
		if err == nil {
			s.held = nil
		}
		return err
	}
	batch, err := s.spool.First()
	if err != nil {
		return errors.Join(err, s.spool.Clear())
	}
	if err := s.writer.write(ctx, itemsOf(batch.Deltas), once); err != nil {
		return err
	}
	return s.spool.Drop(batch)
}

// collect spills the deltas that arrive within a pause. With a pause of 0 it spills the
// deltas that have arrived.
func (s *spiller) collect(ctx context.Context, pause time.Duration) {
	if pause > 0 {
		timed, cancel := context.WithTimeout(ctx, pause)
		defer cancel()
		for s.held == nil {
			items, err := s.queue.Get(timed)
			if err != nil {
				break // the pause is over, or the queue is closed
			}
			s.spill(items)
		}
		<-timed.Done()
		return
	}
	if n, _ := s.queue.Len(); n == 0 || s.held != nil {
		return
	}
	if items, err := s.queue.Get(ctx); err == nil {
		s.spill(items)
	}
}

// writeLeftovers writes the batches that a previous process spilled. It drops all of them
// if they are unusable.
//
// Errors: the cause of ctx; those of the file system.
func writeLeftovers(ctx context.Context, w *writer, s *spool.Spool) error {
	w.log.Info("writing the spill of a previous process", "bytes", s.Bytes())
	for first := true; !s.Empty(); first = false {
		batch, err := s.First()
		if err == nil && first && batch.Middle {
			err = errors.New("it begins within a list")
		}
		if err != nil {
			w.log.Warn("cannot use the spill of a previous process; reading from the server instead", "err", err)
			return s.Clear()
		}
		if err := w.write(ctx, itemsOf(batch.Deltas), 0); err != nil {
			return err
		}
		if err := s.Drop(batch); err != nil {
			return err
		}
	}
	return nil
}

// itemsOf returns deltas as items that are not decoded yet.
func itemsOf(deltas delta.Batch) []item {
	items := make([]item, len(deltas))
	for i := range deltas {
		items[i].Delta = deltas[i]
	}
	return items
}

// spilledDeltas returns the deltas of a batch without redacted fields.
func spilledDeltas(p *observe.Projection, items []item) delta.Batch {
	deltas := make(delta.Batch, len(items))
	for i := range items {
		it := &items[i]
		deltas[i] = it.Delta
		if !p.Redacted || it.Kind != delta.Upsert && (it.Kind != delta.Delete || it.Err != nil) {
			continue
		}
		if o, err := it.observation(p, model.Watched); err == nil {
			deltas[i].Record.Body = o.Body
		} else {
			deltas[i].Record.Body = nil // the plan reports the object as unusable
		}
	}
	return deltas
}

// spoolName returns the name of the spool of a target. It depends on everything that
// distinguishes the target from others. A recorder finds the batches of an earlier process
// by this name, so the hashed text must never change: a new field of Target contributes to
// it only if the field is set.
func spoolName(resource kube.Resource, cluster, database, recorder string, t *Target) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%s\x00{%s %s %s %s}", cluster, database, recorder, t.Type, t.Namespace, t.LabelSelector, t.FieldSelector) // Fprintf never returns an error here
	if !t.UIDs.IsAll() {
		_, _ = fmt.Fprintf(h, "\x00%s", t.UIDs)
	}
	return fmt.Sprintf("%s-%016x", resource, h.Sum64())
}
