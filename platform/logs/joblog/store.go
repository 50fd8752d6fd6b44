package joblog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Store keeps logs in a database. Any goroutine may use it.
type Store struct {
	db     *sqldb.DB
	limits Limits
	room   room
	redact *Redactor
	now    func() time.Time

	mu     sync.Mutex
	total  int64 // the sum of all logs when it was computed, plus the bytes that Put has added since
	summed time.Time
	busy   bool // a Put is computing the sum and removing text
}

// New returns a store. Without a redactor it replaces only well-known secrets. A program
// that only reads passes Limits{} and nil.
func New(db *sqldb.DB, limits Limits, redact *Redactor) *Store {
	if redact == nil {
		redact = &Redactor{}
	}
	return &Store{db: db, limits: limits.withDefaults(), room: room{chunkBytes, chunkLines}, redact: redact, now: time.Now}
}

// Limits returns the limits of the store, including the defaults.
func (s *Store) Limits() Limits { return s.limits }

// Put stores lines of a log. It merges them with the stored lines, and loses no line
// except because of the limits. Calls may overlap, repeat lines, and come in any order and
// from two recorders. Within a call, the lines have the order of the log. The store
// replaces secrets and truncates long lines before it writes. A log that ended without a
// line is stored without text. Put changes neither lines nor their texts.
//
// Errors: an invalid limit; a log without a pod or a container; those of the database. A
// Put may be repeated after any error.
func (s *Store) Put(ctx context.Context, log Log, lines []Line) error {
	if err := s.limits.Check(); err != nil {
		return err
	}
	if log.PodUID == "" || log.Container == "" {
		return errors.New("kept logs: a log needs the UID of a pod and the name of a container")
	}
	clean(&log)
	p := put{log: log, entries: order(lines, log.Started), limits: s.limits, room: s.room, redact: s.redact, now: s.now()}
	s.redact.entries(p.entries)
	shorten(p.entries)
	switch err := transact(ctx, s.db, p.run); {
	case errors.Is(err, errUnchanged):
		return nil
	case err != nil:
		return fmt.Errorf("%s: keep the log of %s/%s: %w", s.db, log.Pod, log.Container, err)
	}
	return s.limit(ctx, p.job, p.added)
}

// limit removes text that exceeds the limits of a job or of the database.
func (s *Store) limit(ctx context.Context, job string, added int64) error {
	ofJob := shrinking{
		db: s.db, where: " AND l.job_uid = ?", args: []any{job}, index: "kept_logs_job", most: s.limits.PerJob,
		why: "the kept logs of the job exceed " + sizeText(s.limits.PerJob), now: s.now(),
	}
	if err := ofJob.run(ctx); err != nil {
		return fmt.Errorf("%s: the limit of the kept logs of a job: %w", s.db, err)
	}
	if !s.due(added) {
		return nil
	}
	total, err := shrinkAll(ctx, s.db, s.limits.Total, s.now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy = false; err != nil {
		return fmt.Errorf("%s: the limit of all kept logs: %w", s.db, err)
	}
	s.total, s.summed = total, s.now()
	return nil
}

// sumEvery is the interval in which the sum of all logs is recomputed. Other processes add
// to it in the meantime.
const sumEvery = time.Minute

// due counts the bytes that a Put has added, and reports whether it must recompute the sum
// of all logs.
func (s *Store) due(added int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += added
	if s.busy || s.total <= s.limits.Total && s.now().Sub(s.summed) < sumEvery {
		return false
	}
	s.busy = true
	return true
}

// Of returns logs ordered by the start of their containers.
//
// Errors: those of the database.
func (s *Store) Of(ctx context.Context, of Selection) ([]Log, error) {
	all, err := of.logs(ctx, s.db)
	return all, s.db.Explain(err)
}

// Lines returns the lines of a log in their order. It reads the text in parts, and holds
// no connection while the caller works. A sequence ends with its first error. Lines that
// are removed in the meantime are omitted.
func (s *Store) Lines(ctx context.Context, log Log) iter.Seq2[Line, error] {
	return readLines(ctx, s.db, log.ID)
}

// LastLines returns the last n lines of a log.
//
// Errors: those of the database.
func (s *Store) LastLines(ctx context.Context, log Log, n int) ([]Line, error) {
	lines, err := lastLines(ctx, s.db, log.ID, n)
	return lines, s.db.Explain(err)
}

// LastLine returns the time of the last line of the selected pods, owners or jobs; the
// zero time if no line was stored. Text that a limit removed counts.
//
// Errors: those of the database.
func (s *Store) LastLine(ctx context.Context, uids ...string) (time.Time, error) {
	last, err := Selection{UIDs: uids}.lastLine(ctx, s.db)
	return last, s.db.Explain(err)
}

// Tail returns the last n lines of a container of a job: of the last failed container with
// lines; if none failed, of the last one that ended; else of the last one that wrote.
// found is false if no log is kept.
//
// Errors: those of the database.
func (s *Store) Tail(ctx context.Context, of Selection, n int) (log Log, lines []Line, found bool, err error) {
	all, err := s.Of(ctx, of)
	if err != nil {
		return Log{}, nil, false, err
	}
	if log, found = explaining(all); !found {
		return Log{}, nil, false, nil
	}
	lines, err = lastLines(ctx, s.db, log.ID, n)
	return log, lines, true, s.db.Explain(err)
}

// Totals sums up all logs of the database. It reads a whole index.
//
// Errors: those of the database.
func (s *Store) Totals(ctx context.Context) (Totals, error) {
	t, err := totals(ctx, s.db)
	return t, s.db.Explain(err)
}
