package joblog

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Store keeps logs in a database. Any goroutine may use it.
type Store struct {
	db     *sqldb.DB
	limits Limits
	redact *Redactor
}

// New returns a store. Without a redactor it replaces well-known secrets. A program that
// only reads passes Limits{} and nil.
func New(db *sqldb.DB, limits Limits, redact *Redactor) *Store {
	if redact == nil {
		redact, _ = NewRedactor(nil)
	}
	return &Store{db: db, limits: limits.withDefaults(), redact: redact}
}

// Selection says which logs a query returns.
type Selection struct {
	// ClusterUID is the cluster; empty for all.
	ClusterUID string
	// UIDs are those of pods, of their owners, or of jobs. A log is returned if one of its
	// three is among them.
	UIDs []string
	// Limit is how many logs are returned at most, the latest ones; default 10,000.
	Limit int
}

// Totals count what is kept.
type Totals struct {
	// Logs is the number of logs with text, and Removed of those whose text was removed.
	Logs, Removed int64
	// Lines and Bytes are of the text, and Stored is what it takes in the database.
	Lines, Bytes, Stored int64
	// Oldest is when text was last added to the oldest log; zero if there is no log.
	Oldest time.Time
}

var errNotYet = errors.New("kept logs: not implemented")

// Put stores lines of a log. Lines that are stored already stay: a Put adds lines, also
// between others, and never loses one except for the limits. So lines may come in any
// order of calls, twice, from two recorders, as a tail or all at once. Within a call they are
// in the order of the log. The store replaces secrets and cuts long lines before it
// writes. A log that ended without a line is stored with none.
func (s *Store) Put(ctx context.Context, log Log, lines []Line) error { return errNotYet }

// Of returns logs in the order in which their containers started.
func (s *Store) Of(ctx context.Context, of Selection) ([]Log, error) { return nil, errNotYet }

// Lines returns the lines of a log in their order. It reads the text in parts, and holds
// no connection while the caller works. A sequence ends with its first error.
func (s *Store) Lines(ctx context.Context, log Log) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) { yield(Line{}, errNotYet) }
}

// LastLine returns the time of the last line of the pods, owners or jobs with some UIDs; the zero time if no
// line was stored. Text that a bound removed counts.
func (s *Store) LastLine(ctx context.Context, uids ...string) (time.Time, error) {
	return time.Time{}, errNotYet
}

// Tail returns the last n lines of a container of a job: of the last one that failed and
// has lines; if none failed, of the last one that ended; else of the last one that wrote. found is false
// if nothing is kept.
func (s *Store) Tail(ctx context.Context, of Selection, n int) (log Log, lines []Line, found bool, err error) {
	return Log{}, nil, false, errNotYet
}

// Totals counts all logs of the database.
func (s *Store) Totals(ctx context.Context) (Totals, error) { return Totals{}, errNotYet }
