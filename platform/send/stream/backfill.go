package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Backfill sends the transitions that a filter selects from the history, oldest first, and
// returns their number. It reaches as far back as the history, while a Streamer begins with
// the feed. The events have the IDs that the feed gave them, so a consumer that ignores
// repeated IDs may receive both. Their kind is KindNew, because the history has the corrected
// values only.
//
// progress is called after each batch with the last event of the batch and the number of
// sent events. It may be nil.
//
// It tries again for a minute if the sink fails.
//
// Errors: an invalid filter; those of the database; that of the sink after a minute. A call
// that failed may be repeated with Filter.Since set to the time of the last event of
// progress.
func Backfill(ctx context.Context, db *sqldb.DB, sink Sink, f history.Filter, progress func(last *Event, sent int)) (sent int, err error) {
	h := history.New(db)
	p := history.Paging{Limit: feedBatch, Order: history.OldestFirst}
	for {
		page, err := h.ListTransitions(ctx, f, p)
		if err != nil {
			return sent, err
		}
		events, err := EventsOf(ctx, h, page.Items)
		if err != nil {
			return sent, err
		}
		if err := sendInOrder(ctx, patient{sink}, events, func([]Event) {}); err != nil {
			return sent, fmt.Errorf("%s: %w", sink, err)
		}
		if sent += len(events); len(events) > 0 && progress != nil {
			progress(&events[len(events)-1], sent)
		}
		if page.Next == "" {
			return sent, nil
		}
		p.After = page.Next
	}
}

// patience is the time for which a backfill waits for a broker.
const patience = time.Minute

// patient is a sink that tries again for some time.
type patient struct{ Sink }

func (p patient) Send(ctx context.Context, events []Event) error {
	began := time.Now()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := p.Sink.Send(ctx, events)
		if err == nil || ctx.Err() != nil || time.Since(began) > patience {
			return err
		}
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
	}
}

// EventsOf returns the events of transitions in the history, in their order. Their IDs are
// those of the feed, and their kind is KindNew.
//
// Errors: those of the database.
func EventsOf(ctx context.Context, h *history.History, some []history.Change) ([]Event, error) {
	ids := make([]int64, len(some))
	for i := range some {
		ids[i] = some[i].Object.ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	labels, err := h.Labels(ctx, ids)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(some))
	for i := range some {
		c := &some[i]
		o := &c.Object
		events[i] = NewEvent(&feed.Transition{
			Kind: feed.New, Version: c.Version, From: job.State(c.From), To: job.State(c.To), FromRaw: c.FromRaw, ToRaw: c.ToRaw,
			Reason: c.Reason, Message: c.Message, Happened: c.Happened, Seen: c.Seen, Source: c.Source,
			Object: feed.Object{
				ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
				Queue: o.Queue, Submitter: o.Submitter, Owner: feed.Owner{UID: o.Owner.UID, Kind: o.Owner.Kind, Name: o.Owner.Name}, Created: o.Created, Labels: labels[o.ID],
			},
		})
	}
	return events, nil
}
