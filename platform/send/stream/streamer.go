package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
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
	// one name share it: one of them sends, and the others wait for their turn. After
	// feed.Divide, each sends the events of some partitions. Default: "default".
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

// feedBatch is the number of positions that a streamer reads at once.
const feedBatch = 500

// Stats counts the work of a Streamer since it was created.
type Stats struct {
	Sent     int           // events that the broker has stored, including repetitions
	Skipped  int           // transitions that Config.Only does not select
	Failures int           // failed attempts to send
	TooLarge int           // events that were left out because the broker takes none of their size
	Position feed.Position // the largest position of an event that the broker has stored
	// FailingSince is the time when the broker began to refuse events. It is zero while the
	// broker accepts them.
	FailingSince time.Time
}

// Streamer sends the transitions of a feed to a message broker. Create it with New.
type Streamer struct {
	c        Config
	consumer feed.PartitionedConsumer
	sending  chan struct{} // holds a value while a partition uses the sink, which belongs to one goroutine at a time

	mu     sync.Mutex
	stats  Stats
	failed map[feed.Partition]time.Time // partitions whose events the broker refuses, and since when
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
	s := &Streamer{c: c, sending: make(chan struct{}, 1), failed: map[feed.Partition]time.Time{}}
	s.consumer = feed.PartitionedConsumer{Name: CursorPrefix + c.Name, Start: c.Start, Lease: c.Lease, Logger: c.Logger, Consumer: func(p feed.Partition) feed.Consumer {
		one := &sender{
			sink: c.Sink, only: c.Only, sending: s.sending, most: feedBatch * p.Of, stored: map[string]bool{},
			counted: func(ctx context.Context, r result) { s.count(ctx, p, r) }, leave: s.leave,
		}
		return feed.Consumer{Batch: feedBatch, Decided: true, Lease: c.Lease, Prepare: one.send, Handle: func(context.Context, *sqldb.Tx, []feed.Transition) error { return nil }}
	}, Ended: s.ended}
	return s, nil
}

// ended forgets the fault of a partition that this replica no longer sends.
func (s *Streamer) ended(p feed.Partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failed, p)
}

// Cursor returns the name of the feed cursor, without its partitions; see feed.Summary.
func (s *Streamer) Cursor() string { return s.consumer.Name }

// Stats returns the counters of the streamer. It is safe for concurrent use.
func (s *Streamer) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.stats
	for _, since := range s.failed {
		if all.FailingSince.IsZero() || since.Before(all.FailingSince) {
			all.FailingSince = since
		}
	}
	return all
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

// leave records an event that the broker never takes. The history has its transition.
func (s *Streamer) leave(e *TooLargeError) {
	cmp.Or(s.c.Logger, slog.Default()).Error("an event is left out of the stream; the history has its transition, and `vedette stream backfill` sends it once the broker takes it", "sink", s.c.Sink.String(), "err", e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.TooLarge++
}

// count adds the result of an attempt to the counters.
func (s *Streamer) count(ctx context.Context, p feed.Partition, r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.err != nil:
		if s.stats.Failures++; s.failed[p].IsZero() && ctx.Err() == nil {
			s.failed[p] = time.Now()
		}
	default:
		delete(s.failed, p)
		s.stats.Sent += r.sent
		s.stats.Skipped += r.skipped
		s.stats.Position = max(s.stats.Position, r.position)
	}
}
