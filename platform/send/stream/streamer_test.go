package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	vedettehistory "github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/world/historytest"
	"github.com/vedette-io/vedette/wire"
)

// quiet drops log lines about expected faults.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// TestStream checks that every transition is sent once and in order, that a later streamer
// continues, and the counters.
func TestStream(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		h.write(change("a", 1), change("b", 2), change("a", 3-1))
		h.write(change("a", 4-1))
		sink := &memory{}
		s, stop := h.start(stream.Config{Sink: sink})
		h.sent("4")
		stop()
		if got := sink.first(); fmt.Sprint(got) != "[a.1 b.2 a.2 a.3]" {
			t.Errorf("got events %v", got)
		}
		if got := s.Stats(); got.Sent != 4 || got.Position != 4 || got.Failures != 0 || !got.FailingSince.IsZero() {
			t.Errorf("got %+v, want 4 events sent up to position 4", got)
		}
		h.write(change("b", 7))
		_, stop = h.start(stream.Config{Sink: sink})
		sink.until(t, "the event after the start", func(all []string) bool { return slices.Contains(all, "b.7") })
		stop()
		if len(sink.all()) != 5 {
			t.Errorf("got %d events, want 5: the second streamer continues", len(sink.all()))
		}
	})
}

// strict is a sink that never takes the events of some objects.
type strict struct {
	memory
	refuses string
}

func (s *strict) Send(ctx context.Context, events []stream.Event) error {
	for _, e := range events {
		if e.Key == s.refuses {
			return &stream.TooLargeError{Event: e, Most: 1, Limit: "a limit"}
		}
	}
	return s.memory.Send(ctx, events)
}

// TestTooLarge checks that an event that the broker never takes is left out, logged and counted, and
// does not keep others waiting.
func TestTooLarge(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		h.write(change("large", 1), change("b", 2))
		h.write(change("large", 2), change("b", 3))
		sink := &strict{refuses: "large"}
		var log lockedBuffer
		s, stop := h.start(stream.Config{Sink: sink, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		h.sent("4")
		stop()
		if got := sink.first(); fmt.Sprint(got) != "[b.2 b.3]" {
			t.Errorf("got events %v", got)
		}
		if got := s.Stats(); got.TooLarge != 2 || got.Failures != 0 {
			t.Errorf("got %+v, want 2 events left out and no failure", got)
		}
		if text := log.String(); strings.Count(text, "raise a limit") != 2 {
			t.Errorf("got the log %s", text)
		}
	})
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestSelection checks that other transitions are skipped.
func TestSelection(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		h.write(change("a", 1))
		for _, c := range []struct {
			only stream.Selection
			want int
		}{
			{stream.Selection{Types: []string{"jobs.batch"}, Clusters: []string{"a"}, Namespaces: []string{"x", "ml"}}, 1},
			{stream.Selection{Clusters: []string{"uid-a"}}, 1},
			{stream.Selection{Types: []string{"pods"}}, 0},
			{stream.Selection{Clusters: []string{"b"}}, 0},
			{stream.Selection{Namespaces: []string{"other"}}, 0},
		} {
			sink := &memory{}
			s, stop := h.start(stream.Config{Sink: sink, Only: c.only, Name: fmt.Sprint(c)})
			told(t, "one transition", s, func(st stream.Stats) bool { return st.Sent+st.Skipped == 1 })
			stop()
			if got := s.Stats().Sent; got != c.want {
				t.Errorf("%+v: got %d events, want %d", c.only, got, c.want)
			}
		}
	})
}

// TestFaultyBroker checks that no event is lost, and that the order of each object holds,
// while every third call fails after half of their events were stored, and while streamers end
// at random.
func TestFaultyBroker(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		failures := 0
		sink := &memory{fail: func(call int) error {
			if call%3 == 1 {
				failures++
				return errBroker
			}
			return nil
		}}
		const objects, versions = 12, 6
		for v := range wire.Version(versions) {
			var all []historytest.Revision
			for o := range objects {
				all = append(all, change(fmt.Sprint("o", o), v+1))
			}
			h.write(all...)
		}
		for round := 0; len(sink.first()) < objects*versions; round++ {
			_, stop := h.start(stream.Config{Sink: sink, Logger: quiet})
			seen := len(sink.all())
			sink.until(t, "an event", func(all []string) bool { return len(all) > seen+4*round || len(sink.first()) == objects*versions })
			stop()
		}
		if failures < 3 {
			t.Fatalf("only %d calls failed", failures)
		}
		next := map[string]int{}
		for _, id := range sink.first() {
			o, _, _ := strings.Cut(id, ".")
			if next[o]++; id != fmt.Sprintf("%s.%d", o, next[o]) {
				t.Fatalf("got %s as event %d of %s", id, next[o], o)
			}
		}
	})
}

// TestReplicasTakeTurns checks that one of two replicas sends, and that the other one takes
// over when it stops.
func TestReplicasTakeTurns(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		one, two := &memory{}, &memory{}
		_, stopOne := h.start(stream.Config{Sink: one})
		h.write(change("a", 1))
		one.until(t, "the first event", func(all []string) bool { return len(all) == 1 })
		_, stopTwo := h.start(stream.Config{Sink: two})
		for v := range wire.Version(20) {
			h.write(change("a", v+2))
		}
		h.sent("21")
		stopOne()
		h.write(change("a", 50))
		two.until(t, "the other replica", func(all []string) bool { return len(all) == 1 })
		h.sent("22")
		stopTwo()
		if len(one.all()) != 21 {
			t.Errorf("got %d events by the first replica, want 21", len(one.all()))
		}
	})
}

// TestReplicasShare checks that replicas send the events of a divided stream together, in
// order for each object, while the broker fails and replicas come and go.
func TestReplicasShare(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		sink := &memory{fail: func(call int) error {
			if call%5 == 2 {
				return errBroker
			}
			return nil
		}}
		replica := func() (stop func()) {
			_, stop = h.start(stream.Config{Sink: &exclusive{Sink: sink, t: t}, Logger: quiet, Lease: time.Second})
			return stop
		}
		create := replica()
		h.sent("0")
		create()
		if err := feed.Divide(t.Context(), h.DB, "stream/default", 4); err != nil {
			t.Fatal(err)
		}
		const objects, versions = 30, 12
		stop := []func(){replica(), replica()}
		for v := range wire.Version(versions) {
			var all []historytest.Revision
			for o := range objects {
				all = append(all, change(fmt.Sprint("o", o), v+1))
			}
			h.write(all...)
			if v%4 == 1 {
				patience.Until(t, "the partitions have two holders", func() string {
					if n := holders(t, h); n != 2 {
						return fmt.Sprintf("they have %d", n)
					}
					return ""
				})
				stop[0]()
				stop = append(stop[1:], replica())
			}
		}
		sink.until(t, "all events", func([]string) bool { return len(sink.first()) == objects*versions })
		for _, f := range stop {
			f()
		}
		next := map[string]int{}
		for _, id := range sink.first() {
			o, _, _ := strings.Cut(id, ".")
			if next[o]++; id != fmt.Sprintf("%s.%d", o, next[o]) {
				t.Fatalf("got %s as event %d of %s", id, next[o], o)
			}
		}
	})
}

// exclusive is a sink that fails the test if it is called twice at once.
type exclusive struct {
	stream.Sink
	t    *testing.T
	busy atomic.Bool
}

func (e *exclusive) Send(ctx context.Context, events []stream.Event) error {
	if !e.busy.CompareAndSwap(false, true) {
		e.t.Error("Send was called twice at once")
	}
	<-time.After(time.Millisecond) // an input: the time that a broker takes
	defer e.busy.Store(false)
	return e.Sink.Send(ctx, events)
}

// holders returns the number of replicas that hold partitions.
func holders(t *testing.T, h *history) int {
	t.Helper()
	all, err := feed.Cursors(t.Context(), h.DB)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := feed.Summary(all, "stream/default")
	return len(strings.Split(c.Owner, ", "))
}

// TestFailing checks that Stats and the log tell about a broker that is away.
func TestFailing(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		away := make(chan struct{})
		sink := &memory{fail: func(int) error {
			select {
			case <-away:
				return nil
			default:
				return errBroker
			}
		}}
		var log strings.Builder
		s, stop := h.start(stream.Config{Sink: sink, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		h.write(change("a", 1))
		told(t, "three failures", s, func(st stream.Stats) bool { return st.Failures >= 3 && !st.FailingSince.IsZero() })
		close(away)
		told(t, "the end of the fault", s, func(st stream.Stats) bool { return st.FailingSince.IsZero() })
		stop()
		if text := log.String(); strings.Count(text, "the broker is away") != 1 || !strings.Contains(text, "memory: ") {
			t.Errorf("got log %s, want the fault once, with the destination", text)
		}
	})
}

// TestFailingPartition checks that a fault of a partition is forgotten when the stream is
// divided again, and that the longest allowed name works.
func TestFailingPartition(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		away := make(chan struct{})
		sink := &memory{fail: func(int) error {
			select {
			case <-away:
				return nil
			default:
				return errBroker
			}
		}}
		name := strings.Repeat("n", 80)
		s, stop := h.start(stream.Config{Sink: sink, Logger: quiet, Name: name})
		h.write(change("a", 1))
		told(t, "a fault", s, func(st stream.Stats) bool { return !st.FailingSince.IsZero() })
		if err := feed.Divide(t.Context(), h.DB, s.Cursor(), 64); err != nil {
			t.Fatal(err)
		}
		close(away)
		sink.until(t, "the event", func([]string) bool { return len(sink.first()) == 1 })
		told(t, "the end of the fault", s, func(st stream.Stats) bool { return st.FailingSince.IsZero() })
		stop()
	})
}

// TestBackfill checks that the past is sent with the same IDs, in time order.
func TestBackfill(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		const versions = 1200 // more than one page
		for v := 0; v < versions; v += 100 {
			var all []historytest.Revision
			for i := range 100 {
				all = append(all, change("a", wire.Version(v+i+1)))
			}
			h.write(all...)
		}
		sink := &memory{}
		var last string
		sent, err := stream.Backfill(t.Context(), h.DB, sink, vedettehistory.Filter{Since: historytest.Seen(101)}, func(e *stream.Event, _ int) { last = e.ID })
		ids := sink.first()
		if err != nil || sent != versions-100 || len(ids) != sent || ids[0] != "a.101" || ids[sent-1] != "a.1200" || last != "a.1200" {
			t.Errorf("got %d events, the last %s, and error %v; want 1,100 from a.101 to a.1200", sent, last, err)
		}
		if e := sink.all()[0]; e.Data.Position != 0 || e.Data.Kind != stream.KindNew {
			t.Errorf("got %+v, want no position", e.Data)
		}
		away := &memory{fail: func(call int) error {
			if call < 3 {
				return errBroker
			}
			return nil
		}}
		if sent, err := stream.Backfill(t.Context(), h.DB, away, vedettehistory.Filter{Until: historytest.Seen(3)}, nil); err != nil || sent != 2 || fmt.Sprint(away.first()) != "[a.1 a.2]" {
			t.Errorf("got %d events %v and error %v, want two after two failures", sent, away.first(), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		never := &memory{fail: func(int) error { cancel(); return errBroker }}
		if _, err := stream.Backfill(ctx, h.DB, never, vedettehistory.Filter{}, nil); !errors.Is(err, errBroker) {
			t.Errorf("got error %v, want that of the sink", err)
		}
	})
}

// TestExpired checks that Run ends when only an operator can decide how to continue.
func TestExpired(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		h.write(change("a", 1))
		sink := &memory{}
		_, stop := h.start(stream.Config{Sink: sink})
		h.sent("1")
		stop()
		h.Exec("UPDATE feed_cursors SET expired_at = 1")
		s, err := stream.New(stream.Config{DB: h.DB, Sink: sink})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context()); !errors.Is(err, feed.ErrExpired) {
			t.Errorf("got error %v, want ErrExpired", err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	each(t, func(t *testing.T, h *history) {
		for want, c := range map[string]stream.Config{
			"DB is nil":    {Sink: &memory{}},
			"Sink is nil":  {DB: h.DB},
			"Lease":        {DB: h.DB, Sink: &memory{}, Lease: time.Millisecond},
			"name has 200": {DB: h.DB, Sink: &memory{}, Name: strings.Repeat("n", 200)},
		} {
			if _, err := stream.New(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want %q", err, want)
			}
		}
	})
}
