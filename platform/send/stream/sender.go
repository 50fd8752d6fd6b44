package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/feed"
)

// sender sends the events of a partition. It belongs to the goroutine of its consumer.
type sender struct {
	sink    Sink
	only    Selection
	sending chan struct{} // holds a value while a partition uses the sink, which is called once at a time
	counted func(context.Context, result)
	most    int                  // positions in a batch
	leave   func(*TooLargeError) // an event that the broker never takes is left out
	stored  map[string]bool      // unique IDs of events of an unfinished batch that the broker has stored
}

// result is the result of an attempt to send the events of some transitions.
type result struct {
	sent, skipped int
	position      feed.Position // of the last event; 0: no events
	err           error
}

// send returns nil when the broker has stored the events of some transitions.
func (s *sender) send(ctx context.Context, some []feed.Transition) error {
	events := make([]Event, 0, len(some))
	for i := range some {
		if s.only.matches(&some[i].Object) {
			events = append(events, NewEvent(&some[i]))
		}
	}
	err := s.sendRest(ctx, events)
	r := result{sent: len(events), skipped: len(some) - len(events), err: err}
	if len(events) > 0 {
		r.position = events[len(events)-1].Data.Position
	}
	s.counted(ctx, r)
	if err != nil {
		return fmt.Errorf("%s: %w", s.sink, err)
	}
	return nil
}

// sendRest sends the events that the broker has not stored in an earlier attempt, so that a
// batch makes progress although attempts fail.
func (s *sender) sendRest(ctx context.Context, events []Event) error {
	rest := make([]Event, 0, len(events))
	for i := range events {
		if !s.stored[events[i].Unique()] {
			rest = append(rest, events[i])
		}
	}
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := sendInOrder(ctx, leaving{s.sink, s.leave}, rest, func(round []Event) {
		for i := range round {
			s.stored[round[i].Unique()] = true
		}
	})
	if err == nil || len(s.stored) > 2*s.most { // more than a batch: another replica has moved the cursor
		clear(s.stored)
	}
	return err
}

// leaving is a sink that leaves out the events that the broker never takes, so that they do not
// keep the others waiting.
type leaving struct {
	Sink
	leave func(*TooLargeError)
}

func (l leaving) Send(ctx context.Context, events []Event) error {
	for {
		err := l.Sink.Send(ctx, events)
		large := (*TooLargeError)(nil)
		if !errors.As(err, &large) {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Unique() == large.Event.Unique() })
		if len(rest) == len(events) {
			return err // it names another event: a fault of the sink
		}
		l.leave(large)
		if events = rest; len(events) == 0 {
			return nil
		}
	}
}
