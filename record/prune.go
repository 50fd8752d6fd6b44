package record

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/vedette-io/vedette/state"
)

// pruner removes what a retention does not keep. It walks over the revisions in the
// order in which they were written: the oldest come first.
type pruner struct {
	d *Database
	Retention
	now time.Time
	dry bool
	// rows is how many revisions the next transaction looks at; it begins with 100, and
	// follows how long they take. span is how many numbers of rows are looked through at
	// once for some that are due; default 20,000.
	rows, span int
	// goal is how many bytes have to go, whatever the ages; 0: as the ages say.
	goal int64
	// hurry: without pauses, and always as many rows.
	hurry bool
	Pruned
}

// Steps are of such a size that they take about aim. pace is how long the pause after
// one is, in times of it: a quarter of the time at most is taken from writers.
const (
	aim  = 50 * time.Millisecond
	pace = 3
)

// run does all there is to do, and pauses after each step.
func (p *pruner) run(ctx context.Context) error {
	if p.rows == 0 {
		p.rows = 100
	}
	if p.span == 0 {
		p.span = 20_000
	}
	if p.least() < Forever || p.KeepBodies < Forever {
		if err := p.walk(ctx, p.due); err != nil {
			return err
		}
	}
	if err := p.compact(ctx); err != nil {
		return err
	}
	var err error
	if p.Size, err = p.d.Size(ctx); err != nil {
		return err
	}
	if p.MaxBytes > 0 && p.Size.Used > p.MaxBytes {
		if err := p.shrink(ctx); err != nil {
			return err
		}
	}
	if p.dry {
		return nil
	}
	if err := p.giveBack(ctx); err != nil {
		return err
	}
	if p.d.Exact() {
		p.Size, err = p.d.Size(ctx)
	}
	return err
}

// shrink removes the oldest until the database is smaller than it may be.
func (p *pruner) shrink(ctx context.Context) error {
	if p.dry {
		p.Over = p.Size.Used - p.MaxBytes
		return nil
	}
	p.goal = p.Size.Used - p.target()
	before := p.Bytes
	if err := p.walk(ctx, p.oldest); err != nil {
		return err
	}
	p.Over = max(0, p.goal-p.MaxBytes/50)
	p.Size.Used = max(0, p.Size.Used-(p.Bytes-before)) // the statistics of servers come later
	return nil
}

// entry is a revision that may be due.
type entry struct {
	id, object, version, seen int64
	base, bytes               int64 // of its body
	body                      bool  // it is kept
}

// lot is what becomes of a revision.
type lot int

const (
	stays lot = iota
	thinned
	dropped
)

// subject is the object of some revisions.
type subject struct {
	version int64 // the last
	base    int64 // the one that the next are compared with, which stays
	floor   int64 // from here on revisions stay
	over    bool  // it is deleted
	state   state.State
	moved   int64 // the version of its last transition
}

// due is what becomes of a revision by its age.
func (p *pruner) due(e *entry, s *subject) lot {
	age := p.now.Sub(time.UnixMicro(e.seen))
	switch {
	case s.over && age > p.age(s.state):
		return dropped
	case e.version >= s.floor:
		return stays
	case age > p.age(s.state):
		return dropped
	case age > p.KeepBodies && e.body:
		return thinned
	}
	return stays
}

// oldest is what becomes of it while the database is too large.
func (p *pruner) oldest(e *entry, s *subject) lot {
	switch {
	case p.goal <= 0, p.now.Sub(time.UnixMicro(e.seen)) <= youngest:
		return stays
	case !s.over && e.version >= s.floor:
		return stays
	}
	return dropped
}

// before is the end of what can be due.
func (p *pruner) before() (drop, thin int64) {
	ago := func(age time.Duration) int64 {
		if age == Forever {
			return math.MinInt64
		}
		return micros(p.now.Add(-age))
	}
	if p.goal > 0 {
		return ago(youngest), math.MinInt64
	}
	return ago(p.least()), ago(p.KeepBodies)
}

// walk looks through revisions until they are too young, and removes those whose lot it
// is.
func (p *pruner) walk(ctx context.Context, of func(*entry, *subject) lot) error {
	var first, last sql.NullInt64
	row := p.d.SQL().QueryRowContext(ctx, "SELECT MIN(id), MAX(id) FROM revisions")
	if err := row.Scan(&first, &last); err != nil {
		return err
	}
	drop, thin := p.before()
	sized := p.goal > 0
	for from := first.Int64; from <= last.Int64 && last.Valid; from += int64(p.span) {
		entries, err := p.look(ctx, from, from+int64(p.span), drop, thin)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			if young, err := p.young(ctx, from, max(drop, thin)); err != nil || young {
				return err
			}
		}
		for len(entries) > 0 {
			some := entries[:min(p.rows, len(entries))]
			entries = entries[len(some):]
			if err := p.step(ctx, some, of); err != nil {
				return err
			}
			if sized && p.goal <= 0 {
				return nil
			}
		}
	}
	return nil
}

// young reports whether all of a span was seen after a time: then what was written later
// need not be looked at. One that was spilled for long is found when its span is older.
func (p *pruner) young(ctx context.Context, from, than int64) (bool, error) {
	var oldest sql.NullInt64
	row := p.d.SQL().QueryRowContext(ctx, p.d.Rebind("SELECT MIN(seen_at) FROM revisions WHERE id >= ? AND id < ?"), from, from+int64(p.span))
	err := row.Scan(&oldest)
	return oldest.Valid && oldest.Int64 > than, err
}

// look returns the revisions with numbers from one up to another that are old enough.
func (p *pruner) look(ctx context.Context, from, to, drop, thin int64) (all []entry, err error) {
	rows, err := p.d.SQL().QueryContext(ctx, p.d.Rebind("SELECT id, object_id, version, seen_at, base, LENGTH(data) FROM revisions r WHERE id >= ? AND id < ?"+
		" AND (seen_at < ? OR (seen_at < ? AND LENGTH(data) > 0)) AND NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = r.object_id AND o.presence <> ?"+
		" AND (o.version = r.version OR o.base = r.version)) ORDER BY id"), from, to, drop, thin, int16(deleted))
	if err != nil {
		return nil, err
	}
	return all, each(rows, func() error {
		e, err := scanEntry(rows)
		all = append(all, e)
		return err
	})
}

func scanEntry(rows *sql.Rows) (e entry, err error) {
	err = rows.Scan(&e.id, &e.object, &e.version, &e.seen, &e.base, &e.bytes)
	e.body = e.bytes > 0
	return e, err
}

// step does so for some revisions in one transaction, and pauses.
func (p *pruner) step(ctx context.Context, some []entry, of func(*entry, *subject) lot) error {
	done, took, err := p.try(ctx, some, of)
	if err != nil {
		return err
	}
	p.Objects, p.Revisions, p.Transitions = p.Objects+done.Objects, p.Revisions+done.Revisions, p.Transitions+done.Transitions
	p.Thinned, p.Bytes = p.Thinned+done.Thinned, p.Bytes+done.Bytes
	if err := p.approach(ctx, done.Bytes); err != nil {
		return err
	}
	if p.dry || p.hurry || done == (Pruned{}) {
		return nil
	}
	switch {
	case took > 2*aim:
		p.rows = max(10, p.rows/2)
	case took < aim/2 && len(some) == p.rows:
		p.rows = min(2000, 2*p.rows)
	}
	return pauseFor(ctx, pace*took)
}

// approach notes that some bytes have gone, or asks how much is left to go.
func (p *pruner) approach(ctx context.Context, bytes int64) error {
	if p.goal <= 0 || !p.d.Exact() {
		p.goal -= bytes
		return nil
	}
	size, err := p.d.Size(ctx)
	p.goal = size.Used - p.target()
	return err
}

// target is a bit less than the database may have, so that not every batch is too
// much for it.
func (p *pruner) target() int64 { return p.MaxBytes - p.MaxBytes/50 }

// try is a step, and a few more if others hold the same rows: databases end one of
// two transactions that wait for each other.
func (p *pruner) try(ctx context.Context, some []entry, of func(*entry, *subject) lot) (done Pruned, took time.Duration, err error) {
	for range 5 {
		err = p.d.within(ctx, func(tx *sql.Tx) error {
			began := time.Now() // not for the lock: the writers had their turn then
			c := cut{d: p.d, tx: tx, keepLast: p.KeepLast, dry: p.dry}
			err := c.make(ctx, some, of)
			done, took = c.Pruned, time.Since(began)
			return err
		})
		if err == nil || ctx.Err() != nil {
			return done, took, err
		}
		if waited := pauseFor(ctx, 100*time.Millisecond); waited != nil {
			return Pruned{}, 0, waited
		}
	}
	return Pruned{}, 0, err
}

// pauseFor waits.
//
// Errors: the cause of ctx.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
