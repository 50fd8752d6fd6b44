package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/sqldb"
)

// CursorPrefix begins the names of the feed cursors of streamers.
const CursorPrefix = "stream/"

// Config configures a Streamer. DB and Sink are required.
type Config struct {
	// DB is the database. The caller closes it.
	DB *sqldb.DB
	// Sink receives the events. The caller closes it after Run has returned.
	Sink Sink
	// Name names the streamer. Its position is the cursor "stream/" + Name. Replicas with
	// one name share a position: one of them sends, and the others wait for their turn.
	// Default: "default".
	Name string
	// Start is the position of a new streamer. Default: feed.Oldest.
	Start feed.Start
	// Only selects events. Default: all.
	Only Selection
	// Lease is the time after which another replica takes over from one that hangs.
	// Default: 15 s.
	Lease time.Duration
	// Logger receives faults. Default: the value of slog.Default() at the time of the
	// message.
	Logger *slog.Logger
}

// Selection selects events. An event must match all fields that are set.
type Selection struct {
	Clusters   []string // names or UIDs
	Types      []string // such as "jobs.batch"
	Namespaces []string
}

func (s *Selection) matches(o *feed.Object) bool {
	return (len(s.Clusters) == 0 || slices.Contains(s.Clusters, o.Cluster) || slices.Contains(s.Clusters, o.ClusterUID)) &&
		(len(s.Types) == 0 || slices.Contains(s.Types, o.Type.String())) &&
		(len(s.Namespaces) == 0 || slices.Contains(s.Namespaces, o.Namespace))
}

// feedBatch is the number of positions that a streamer reads at once.
const feedBatch = 500

// Stats counts the work of a Streamer since it was created.
type Stats struct {
	Sent     int           // events that the broker has stored, including repetitions
	Skipped  int           // transitions that Config.Only does not select
	Failures int           // failed attempts to send
	Position feed.Position // position of the last event that the broker has stored
	// FailingSince is the time when the broker began to refuse events. It is zero while the
	// broker accepts them.
	FailingSince time.Time
}

// Streamer sends the transitions of a feed to a message broker. Create it with New.
type Streamer struct {
	c        Config
	consumer feed.Consumer
	stored   map[string]bool // unique IDs of events of an unfinished batch that the broker has stored

	mu    sync.Mutex
	stats Stats
}

// New returns a streamer. It sends nothing before Run.
//
// Errors: an invalid field.
func New(c Config) (*Streamer, error) {
	c.Name = cmp.Or(c.Name, "default")
	c.Lease = cmp.Or(c.Lease, 15*time.Second)
	switch {
	case c.DB == nil:
		return nil, errors.New("stream: Config.DB is nil")
	case c.Sink == nil:
		return nil, errors.New("stream: Config.Sink is nil")
	case c.Lease < time.Second:
		return nil, errors.New("stream: Config.Lease is less than one second")
	case len(c.Name) > 80:
		return nil, fmt.Errorf("stream: the name has %d bytes: want at most 80", len(c.Name))
	}
	s := &Streamer{c: c, stored: map[string]bool{}}
	s.consumer = feed.Consumer{
		Name: CursorPrefix + c.Name, Start: c.Start, Batch: feedBatch, Lease: c.Lease, Logger: c.Logger, Prepare: s.send,
		Handle: func(context.Context, *sqldb.Tx, []feed.Transition) error { return nil },
	}
	return s, nil
}

// Cursor returns the name of the feed cursor.
func (s *Streamer) Cursor() string { return s.consumer.Name }

// Stats returns the counters of the streamer. It is safe for concurrent use.
func (s *Streamer) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Run sends transitions until ctx ends, and then returns nil. It blocks. A new streamer
// begins at Config.Start; otherwise Run continues where the last replica stopped.
//
// Faults of the database and of the broker do not end Run. It logs them and tries again
// after 50 ms to 30 s, so the cursor waits and no event is lost.
//
// Errors: feed.ErrExpired if the streamer was not running for so long that retention may have removed
// transitions it has not sent; feed.ErrNoCursor if the cursor was removed.
func (s *Streamer) Run(ctx context.Context) error { return s.consumer.Run(ctx, s.c.DB) }

// send returns nil when the broker has stored the events of some transitions.
func (s *Streamer) send(ctx context.Context, some []feed.Transition) error {
	events := make([]Event, 0, len(some))
	for i := range some {
		if s.c.Only.matches(&some[i].Object) {
			events = append(events, NewEvent(&some[i]))
		}
	}
	err := s.sendRest(ctx, events)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if s.stats.Failures++; s.stats.FailingSince.IsZero() && ctx.Err() == nil {
			s.stats.FailingSince = time.Now()
		}
		return fmt.Errorf("%s: %w", s.c.Sink, err)
	}
	s.stats.FailingSince = time.Time{}
	s.stats.Sent += len(events)
	s.stats.Skipped += len(some) - len(events)
	if len(events) > 0 {
		s.stats.Position = events[len(events)-1].Data.Position
	}
	return nil
}

// sendRest sends the events that the broker has not stored in an earlier attempt, so that a
// batch makes progress although attempts fail.
func (s *Streamer) sendRest(ctx context.Context, events []Event) error {
	rest := make([]Event, 0, len(events))
	for i := range events {
		if !s.stored[events[i].Unique()] {
			rest = append(rest, events[i])
		}
	}
	err := sendInOrder(ctx, s.c.Sink, rest, func(round []Event) {
		for i := range round {
			s.stored[round[i].Unique()] = true
		}
	})
	if err == nil || len(s.stored) > 2*feedBatch { // more than a batch: another replica has moved the cursor
		clear(s.stored)
	}
	return err
}

// sendInOrder sends events in rounds, each of which has at most one event of a key. A round
// is stored before the next one begins. So the order of a key holds for any broker and any
// fault, and different keys do not wait for each other. stored is called after each round.
func sendInOrder(ctx context.Context, sink Sink, events []Event, stored func(round []Event)) error {
	for _, round := range rounds(events) {
		if err := sink.Send(ctx, round); err != nil {
			return err
		}
		stored(round)
	}
	return nil
}

// rounds splits events. The n-th event of a key is in the n-th round.
func rounds(events []Event) [][]Event {
	var all [][]Event
	seen := make(map[string]int, len(events))
	for i := range events {
		n := seen[events[i].Key]
		seen[events[i].Key]++
		if n == len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], events[i])
	}
	return all
}
