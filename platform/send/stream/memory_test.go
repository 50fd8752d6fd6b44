package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/historytest"
	"github.com/vedette-io/vedette/wire"
)

// memory is a sink in memory, with faults.
type memory struct {
	fail func(call int) error // nil: no faults. After an error, half of the events are stored

	mu     sync.Mutex
	calls  int
	events []stream.Event
}

func (m *memory) Send(_ context.Context, events []stream.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	seen := map[string]bool{}
	for i := range events {
		if seen[events[i].Key] {
			return fmt.Errorf("two events of %s in one call", events[i].Key)
		}
		seen[events[i].Key] = true
	}
	if m.fail != nil {
		if err := m.fail(m.calls); err != nil {
			m.events = append(m.events, events[:len(events)/2]...)
			return err
		}
	}
	m.events = append(m.events, events...)
	return nil
}

func (m *memory) String() string { return "memory" }
func (m *memory) Close() error   { return nil }

// all returns the stored events.
func (m *memory) all() []stream.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]stream.Event(nil), m.events...)
}

// first returns the IDs of the stored events without repetitions.
func (m *memory) first() (ids []string) {
	seen := map[string]bool{}
	for _, e := range m.all() {
		if !seen[e.ID] {
			seen[e.ID] = true
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// until waits until the IDs of all events, with repetitions, meet a condition.
func (m *memory) until(t *testing.T, what string, met func(ids []string) bool) {
	t.Helper()
	patience.Until(t, what, func() string {
		var ids []string
		for _, e := range m.all() {
			ids = append(ids, e.ID)
		}
		if met(ids) {
			return ""
		}
		return fmt.Sprintf("got %d events, the last %q", len(ids), ids[max(0, len(ids)-10):])
	})
}

// errBroker is a fault of a broker.
var errBroker = errors.New("the broker is away")

// history is a database that a test writes.
type history struct {
	*testing.T
	*historytest.Database
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, h *history)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, &history{t, historytest.Open(t, url)}) })
}

// change returns a revision that changes the state of an object.
func change(uid string, version wire.Version) historytest.Revision {
	return historytest.Revision{UID: uid, Version: version, State: []job.State{job.Queued, job.Running}[version%2], Body: "{}"}
}

func (h *history) write(all ...historytest.Revision) {
	h.Helper()
	if err := h.Database.Write(h.Context(), all); err != nil {
		h.Fatal(err)
	}
}

// sent waits until the cursor of the default stream is at a position.
func (h *history) sent(position string) {
	h.Helper()
	h.Until("SELECT position FROM feed_cursors WHERE name = 'stream/default'", position)
}

// start runs a streamer. stop ends it.
func (h *history) start(c stream.Config) (s *stream.Streamer, stop func()) {
	h.Helper()
	c.DB = h.DB
	s, err := stream.New(c)
	if err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, func() {
		h.Helper()
		cancel()
		if err := <-ended; err != nil {
			h.Error(err)
		}
	}
}

// told waits until the counters of a streamer meet a condition.
func told(t *testing.T, what string, s *stream.Streamer, met func(stream.Stats) bool) {
	t.Helper()
	patience.Until(t, what, func() string {
		if st := s.Stats(); !met(st) {
			return fmt.Sprintf("%+v", st)
		}
		return ""
	})
}
