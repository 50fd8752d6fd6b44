package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/historytest"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/stream"
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
	return historytest.Revision{UID: uid, Version: version, State: []state.State{state.Queued, state.Running}[version%2], Body: "{}"}
}

func (h *history) write(all ...historytest.Revision) {
	h.Helper()
	if err := h.Database.Write(h.Context(), all); err != nil {
		h.Fatal(err)
	}
}

// position returns the position of a cursor, or "" if it does not exist.
func (h *history) position(cursor string) string {
	h.Helper()
	return strings.Join(h.Rows("SELECT position FROM feed_cursors WHERE name = '"+cursor+"'"), " ")
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

// until waits until a condition holds.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.After(time.Minute); !met(); {
		select {
		case <-deadline:
			t.Fatalf("%s: not within a minute", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
