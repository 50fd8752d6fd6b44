package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
)

// Replica is a read-only copy of a database, such as a streaming standby of PostgreSQL or a
// replica of MariaDB. It answers queries while it is recent enough; otherwise the database
// itself answers them. Create it with OpenReplica. It is safe for concurrent use.
type Replica struct {
	primary *DB
	pool    *pool
	most    time.Duration // maximum age of an answer
	logger  func() *slog.Logger

	mu      sync.Mutex
	marks   []replicaMark // of the database, that the replica has not reached; oldest first
	fresh   time.Time     // everything that was committed before is on the replica
	reached replicaMark

	answered, passed atomic.Int64
}

// replicaMark is the end of a history at a time: the last position of the feed and the last
// revision. Servers replicate in the order of commits, so a replica that has reached a mark
// has everything that was committed before.
type replicaMark struct {
	at                 time.Time // before the query
	position, revision int64
}

// covers reports whether the end of a history is not before another one.
func (m *replicaMark) covers(other *replicaMark) bool {
	return m.position >= other.position && m.revision >= other.revision
}

// ReplicaStats counts the queries of the views of a replica.
type ReplicaStats struct {
	Answered int64         // by the replica
	Passed   int64         // to the database itself, because the replica was not recent enough
	Age      time.Duration // largest possible age of the rows of the replica; negative if unknown
}

// OpenReplica returns a replica of a database. most is the maximum age of an answer, at least
// 100 ms. The replica need not be reachable: it is unused until Run has compared it with the
// database. logger returns the logger for faults. The caller closes the Replica.
//
// Errors: an invalid URL; the replica is a file, or a server of another product.
func OpenReplica(primary *DB, url string, most time.Duration, logger func() *slog.Logger) (*Replica, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	a, err := parse(driver, url, os.Getenv)
	switch {
	case err != nil:
		return nil, err
	case a.File != "":
		return nil, errors.New("the replica is a file: use the URL of a server that copies another one")
	case strings.Contains(a.URL, ","):
		return nil, fmt.Errorf("the URL of the replica (%s) has several hosts, and each may have another age: name one", a.URL)
	case driver.Dialect().Name != primary.dialect.Name:
		return nil, fmt.Errorf("the replica is a %s server and the database is %s: use a copy of the same database", driver.Dialect().Name, primary.dialect.Name)
	case most < 100*time.Millisecond:
		return nil, fmt.Errorf("the maximum age of a replica is %v: want at least 100ms", most)
	}
	dialect := driver.Dialect()
	p := &pool{Fragments: Fragments{&dialect}, driver: driver, address: a}
	if p.db, err = a.Connect(ReadOnly); err != nil {
		return nil, p.explain(err)
	}
	p.db.SetMaxIdleConns(idleConns)
	return &Replica{primary: primary, pool: p, most: most, logger: logger}, nil
}

// String returns the URL of the replica without its password.
func (r *Replica) String() string { return r.pool.address.URL }

// Close closes all connections to the replica. Views then use the database itself.
func (r *Replica) Close() error {
	r.lose()
	return r.pool.db.Close()
}

// Stats returns the counters.
func (r *Replica) Stats() ReplicaStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := ReplicaStats{Answered: r.answered.Load(), Passed: r.passed.Load(), Age: -1}
	if !r.fresh.IsZero() {
		s.Age = time.Since(r.fresh)
	}
	return s
}

// View returns a view of the database whose method Query uses the replica. All other methods,
// such as QueryRow and Transact, use the database itself. shown returns the position of the
// feed that the caller has shown to people: the replica answers only if it has reached it, so
// that a page is never older than the one before. shown may be nil.
func (r *Replica) View(shown func() int64) *DB {
	return &DB{Fragments: r.primary.Fragments, pool: r.primary.pool, view: &replicaView{r, shown}}
}

// Run compares the replica with the database until ctx ends. It blocks. It logs once when the
// replica becomes unusable, and once when it is used again.
func (r *Replica) Run(ctx context.Context) {
	fault := &faultlog.Reporter{Fault: "queries go to the database itself, because the replica is unusable", Over: "the replica answers queries again", Logger: r.logger, Attrs: []any{"replica", r.String()}}
	defer fault.Stop()
	tick := time.NewTicker(min(r.most/4, time.Second))
	defer tick.Stop()
	for {
		err := r.compare(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fault.See(faultlog.State{Kind: "replica", Err: err})
		case r.old():
			fault.See(faultlog.State{Kind: "old", Err: fmt.Errorf("it is more than %v behind", r.most)})
		default:
			fault.See(faultlog.State{})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// maxMarks limits the marks that wait for the replica. If there are more, every second one is
// dropped, which makes the age of a replica that is far behind less exact.
const maxMarks = 64

// compare reads the end of both histories.
func (r *Replica) compare(ctx context.Context) error {
	mark, err := endOf(ctx, r.primary.pool)
	if err != nil {
		return r.primary.Explain(err)
	}
	r.mu.Lock()
	if r.marks = append(r.marks, mark); len(r.marks) > maxMarks {
		for i := range maxMarks / 2 {
			r.marks[i] = r.marks[2*i]
		}
		r.marks = append(r.marks[:maxMarks/2], mark)
	}
	r.mu.Unlock()
	reached, err := endOf(ctx, r.pool)
	if err != nil {
		r.lose()
		return r.pool.explain(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = reached
	for len(r.marks) > 0 && reached.covers(&r.marks[0]) {
		r.fresh, r.marks = r.marks[0].at, r.marks[1:]
	}
	return nil
}

// endOf reads the end of a history.
func endOf(ctx context.Context, p *pool) (m replicaMark, err error) {
	ctx, done := p.bounded(ctx)
	defer done()
	m.at = time.Now()
	err = p.db.QueryRowContext(ctx, "SELECT (SELECT position FROM feed_head WHERE id = 1), (SELECT COALESCE(MAX(id), 0) FROM revisions)").Scan(&m.position, &m.revision)
	return m, err
}

// lose makes the replica unused until it is compared again.
func (r *Replica) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh, r.reached = time.Time{}, replicaMark{}
}

// old reports whether the replica is too far behind.
func (r *Replica) old() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh.IsZero() || time.Since(r.fresh) > r.most
}

// has reports whether the replica has reached a position of the feed.
func (r *Replica) has(ctx context.Context, position int64) bool {
	r.mu.Lock()
	reached := r.reached.position >= position
	r.mu.Unlock()
	if reached {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	now, err := endOf(ctx, r.pool)
	if err != nil {
		r.lose()
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = now
	return now.position >= position
}

// replicaTimeout is the time in which a replica must answer or begin to answer, so that a hung
// replica leaves the database enough of Timeout.
const replicaTimeout = Timeout / 4

// replicaView sends queries to a replica.
type replicaView struct {
	*Replica
	shown func() int64
}

// query runs a query on the replica. It returns false if the database itself must answer,
// because the replica is too old, or failed before the first row.
func (v *replicaView) query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) (done bool, err error) {
	if v.old() || v.shown != nil && !v.has(ctx, v.shown()) {
		v.passed.Add(1)
		return false, nil
	}
	attempt, cancel := context.WithCancel(ctx)
	defer cancel()
	hung := time.AfterFunc(replicaTimeout, cancel)
	defer hung.Stop()
	rows := 0
	err = eachRow(attempt, v.pool.db, query, args, func(row *sql.Rows) error {
		hung.Stop()
		rows++
		return each(row)
	})
	if err != nil && rows == 0 && ctx.Err() == nil {
		v.lose()
		v.passed.Add(1)
		return false, nil
	}
	v.answered.Add(1)
	return true, err
}
