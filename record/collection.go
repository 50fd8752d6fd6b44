package record

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// known is what a recorder remembers of an object that is there.
type known struct {
	uid     string
	version wire.Version
}

// collection writes what the reflector of one scope of one type brings. It belongs
// to the goroutine that calls write.
type collection struct {
	d        *Database
	place    place
	recorder string
	lens     lens
	fate     fate // nil: what is not there is gone
	log      *slog.Logger
	stuck    *faultlog.Reporter // reports batches that cannot be written
	packer   *packer
	health   *targetHealth

	objects map[wire.Key]known
	listed  map[wire.Key]bool // while a list comes: what it has
	before  bool              // somebody has seen this scope before
	ended   wire.Version      // up to where, and when
	endedAt time.Time
	covered coverage
	reached wire.Version  // of the watch
	lost    *atomic.Int64 // how many gaps were begun that last until the next batch
	found   int64         // how many of them have ended
}

// load reads what is known of the objects of the scope, and up to where.
func (c *collection) load(ctx context.Context) (err error) {
	ctx, done := c.d.Bounded(ctx)
	defer done()
	if c.ended, c.endedAt, err = c.d.resume(ctx, c.place); err != nil {
		return err
	}
	c.reached, c.before = c.ended, c.ended > 0
	c.objects, c.listed, c.covered, c.found = map[wire.Key]known{}, nil, coverage{}, -1 // one may be left of a life before
	where, args := c.place.objects()
	rows, err := c.d.SQL().QueryContext(ctx, c.d.Rebind("SELECT namespace, name, uid, version FROM objects WHERE "+where+" AND presence IN (?, ?)"),
		append(args, int16(there), int16(unknown))...)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		var key wire.Key
		var k known
		var version int64
		if err := rows.Scan(&key.Namespace, &key.Name, &k.uid, &version); err != nil {
			return err
		}
		k.version = wire.Version(version)
		c.objects[key] = k
		return nil
	})
}

// listing is a list within a batch: up to where a watch had come before it, and at
// which version it was complete, if it was.
type listing struct{ until, at wire.Version }

// pending is what a batch comes to: what is written, and what is remembered once
// that is done. To prepare it changes nothing, so that a batch may be prepared again.
type pending struct {
	sightings  []sighting
	objects    map[wire.Key]known // zero: the object is gone
	left       []string           // UIDs of objects that are no longer selected
	holes      []hole
	disordered int          // number of revisions in one of the holes
	reached    wire.Version // by events and bookmarks
	list       wire.Version // version of the last complete list; 0: none
	lists      []listing    // all lists of the batch

	regained bool // a gap may end with it

	listing bool // a list is on its way at the end of the batch,
	anew    bool // which began in it
	listed  map[wire.Key]bool
}

// prepare makes sightings of deltas.
//
// Errors: whether something is gone could not be found out.
func (c *collection) prepare(ctx context.Context, items []item) (*pending, error) {
	p := &pending{objects: map[wire.Key]known{}, reached: c.reached, listing: c.listed != nil, listed: map[wire.Key]bool{}}
	for i := range items {
		d := &items[i]
		var err error
		switch d.Kind {
		case delta.Begin:
			if !p.listing {
				p.lists = append(p.lists, listing{until: p.reached})
			}
			p.listing, p.anew, p.listed = true, true, map[wire.Key]bool{}
		case delta.Upsert:
			c.upsert(p, d)
		case delta.Delete:
			err = c.delete(ctx, p, d)
			p.reached = max(p.reached, d.Version)
		case delta.Keep:
			c.keep(p, &d.Delta)
		case delta.Bookmark:
			p.reached = max(p.reached, d.Version)
		case delta.End:
			err = c.end(ctx, p, &d.Delta)
		case delta.Leave:
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (c *collection) find(p *pending, key wire.Key) (known, bool) {
	if k, ok := p.objects[key]; ok {
		return k, k.uid != ""
	}
	k, ok := c.objects[key]
	return k, ok
}

func (c *collection) upsert(p *pending, d *item) {
	key, source := d.Record.Key, Watched
	if p.listing {
		p.listed[key] = true
		if source = Listed; c.before {
			source = Relisted
		}
	} else {
		p.reached = max(p.reached, d.Version)
	}
	was, there := c.find(p, key)
	older := there && was.version >= d.Record.Version
	if older && d.Order == delta.ByArrival {
		p.disorder(&d.Delta, was)
		return
	}
	if older && p.listing && was.uid == d.Record.UID {
		return
	}
	s, err := d.sighting(&c.lens, source)
	if err != nil {
		p.holes = append(p.holes, invalid(d.Version, err))
		return
	}
	if older && !p.listing { // a watch that fills a gap goes through what is known already
		p.add(s)
		return
	}
	if there && was.uid != d.Record.UID { // its deletion was missed: this is a namesake
		p.sightings = append(p.sightings, missed(key, was, d.Record.Version-1, d.Seen, source))
	}
	p.add(s)
	p.objects[key] = known{d.Record.UID, d.Record.Version}
}

func (c *collection) delete(ctx context.Context, p *pending, d *item) error {
	key := d.Record.Key
	was, there := c.find(p, key)
	uid := d.Record.UID
	if uid == "" && d.Err != nil {
		uid = was.uid
	}
	if uid == "" {
		p.holes = append(p.holes, invalid(cmp.Or(d.Version, p.reached), d.Err))
		return nil
	}
	gone, err := c.gone(ctx, key, uid)
	if err != nil {
		return err
	}
	if there && was.uid == uid {
		p.objects[key] = known{}
	}
	if !gone {
		p.left = append(p.left, uid)
		return nil
	}
	s, err := sighting{}, d.Err
	if err == nil {
		s, err = d.sighting(&c.lens, Watched)
	}
	if err != nil {
		at := cmp.Or(d.Version, p.reached, was.version)
		p.holes = append(p.holes, invalid(at, err))
		s = missed(key, known{uid, at}, at, d.Seen, Inferred)
	}
	if there && was.uid == uid && d.Order == delta.ByArrival {
		s.version = max(s.version, was.version+1) // the last revision of the object, whatever its version
	}
	p.add(s)
	return nil
}

func (c *collection) gone(ctx context.Context, key wire.Key, uid string) (bool, error) {
	if c.fate == nil {
		return true, nil
	}
	return c.fate(ctx, key, uid)
}

// end concludes a list: what it lacks is gone.
func (c *collection) end(ctx context.Context, p *pending, d *delta.Delta) error {
	if !p.listing {
		return nil
	}
	for key, k := range c.objects {
		now, changed := p.objects[key]
		if changed && now.uid == "" || p.listed[key] || !p.anew && c.listed[key] {
			continue
		}
		gone, err := c.gone(ctx, key, k.uid)
		if err != nil {
			return err
		}
		if gone {
			p.sightings = append(p.sightings, missed(key, k, d.Version, d.Seen, Relisted))
		} else {
			p.left = append(p.left, k.uid)
		}
		p.objects[key] = known{}
	}
	p.listing = false
	if n := len(p.lists); n > 0 && p.lists[n-1].at == 0 {
		p.lists[n-1].at = d.Version
	} else { // it began in a batch before
		p.lists = append(p.lists, listing{at: d.Version})
	}
	p.list, p.reached = d.Version, d.Version
	return nil
}

// missed is the deletion of an object that nobody saw; it was gone at a version.
func missed(key wire.Key, k known, at wire.Version, seen time.Time, source Source) sighting {
	if seen.IsZero() {
		seen = time.Now()
	}
	return sighting{
		uid: k.uid, namespace: key.Namespace, name: key.Name, version: max(at, k.version+1), gone: true, source: source, seen: seen,
		status: state.Status{State: state.Deleted},
	}
}

// errAway is returned by write when the database does not take a batch for longer
// than it may.
var errAway = errors.New("the database is away")

// write writes what has come, and tries until that is done, or ctx is, or, if
// there is a patience, for so long.
//
// Errors: the cause of ctx; errAway.
func (c *collection) write(ctx context.Context, items []item, patience time.Duration) error {
	began := time.Now()
	var p *pending
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		var err error
		if p == nil {
			p, err = c.prepare(ctx, items)
		}
		if err == nil {
			err = c.commit(ctx, p)
		}
		if err == nil {
			c.stuck.See(faultlog.State{})
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.health.failed(err)
		if p != nil && c.d.Rejects(err) && c.isolate(ctx, p) {
			continue
		}
		if patience > 0 && time.Since(began) > patience {
			return errAway
		}
		c.stuck.See(faultlog.State{Kind: "database", Err: err, Remedy: remedy(err), Attrs: []any{"deltas", len(items)}})
		if !sleep(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}

// Between tries to write are firstWait to longestWait.
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// sleep waits, and reports whether it did so to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isolate looks for sightings that the database refuses, so that the others are not
// held up for ever: it writes each alone. Those that fail become gaps; those that do
// not are known when the batch is tried again. It returns whether it found any.
func (c *collection) isolate(ctx context.Context, p *pending) (found bool) {
	var keep []sighting
	for i := range p.sightings {
		s := p.sightings[i]
		err := c.alone(ctx, s)
		if err == nil || !c.d.Rejects(err) {
			keep = append(keep, s)
			continue
		}
		found = true
		now := time.Now()
		h := hole{cause: CauseRefused, from: s.version, to: s.version, fromAt: now, toAt: now, detail: fmt.Sprintf("%s/%s: %v", s.namespace, s.name, err)}
		c.log.Error("the database refuses a revision, which is left out", "namespace", s.namespace, "name", s.name, "version", s.version, "err", err)
		p.holes = append(p.holes, h)
	}
	p.sightings = keep
	return found
}

// alone writes one sighting, and tries again: two recorders may stand in each
// other's way.
func (c *collection) alone(ctx context.Context, s sighting) (err error) {
	ctx, done := c.d.Bounded(ctx)
	defer done()
	for range 3 {
		if err = c.d.within(ctx, func(tx *sql.Tx) error { return c.batch(tx).write(ctx, []sighting{s}) }); err == nil {
			return nil
		}
	}
	return err
}

func (c *collection) batch(tx *sql.Tx) *batch {
	return &batch{
		d: c.d, tx: tx, cluster: c.place.cluster, resource: c.place.resource, scope: c.place.selectors,
		packer: c.packer, wholes: map[int64]whole{}, plain: map[int64][]byte{},
	}
}

// commit writes what is pending in one transaction, and remembers it.
func (c *collection) commit(ctx context.Context, p *pending) error {
	ctx, done := c.d.Bounded(ctx)
	defer done()
	var b *batch
	var covered coverage
	covers := p.covers(c)
	lost, now := c.lost.Load(), time.Now()
	p.regained = lost != c.found
	err := c.d.within(ctx, func(tx *sql.Tx) error {
		covered, b = c.covered, c.batch(tx)
		if len(p.sightings) > 0 {
			if err := b.write(ctx, p.sightings); err != nil {
				return err
			}
		}
		for _, uid := range p.left {
			if _, err := c.d.exec(ctx, tx, "UPDATE objects SET presence = ? WHERE cluster_id = ? AND resource_id = ? AND uid = ? AND presence <> ?",
				int16(left), c.place.cluster, c.place.resource, uid, int16(deleted)); err != nil {
				return err
			}
		}
		for _, h := range p.holes {
			if err := c.d.gap(ctx, tx, c.place, c.recorder, h); err != nil {
				return err
			}
		}
		return c.cover(ctx, tx, p, &covered, now)
	})
	if err != nil {
		return err
	}
	c.packer.keep(b)
	if c.remember(p, covered, now); covers {
		c.found = lost
	}
	c.health.wrote(c, p, b, now)
	return nil
}

// cover brings the ledger up to date.
func (c *collection) cover(ctx context.Context, tx *sql.Tx, p *pending, covered *coverage, now time.Time) (err error) {
	if !p.covers(c) && len(p.lists) == 0 {
		return nil
	}
	// 1. A gap that lasted ends; what could not be seen is there again.
	lasted := false
	if p.regained && p.covers(c) {
		if lasted, err = c.d.close(ctx, tx, c.place, c.recorder, p.reached, p.list > 0, now); err != nil {
			return err
		}
		if err := c.d.mark(ctx, tx, c.place, unknown, there); err != nil {
			return err
		}
	}
	// 2. A list begins a new row. What a watch has brought before it belongs to the old
	// one; what lies between was not seen.
	ended, endedAt, before := c.ended, c.endedAt, c.before
	for _, l := range p.lists {
		if before && l.until > ended {
			if err := c.reach(ctx, tx, covered, ended, l.until, now); err != nil {
				return err
			}
			ended, endedAt = l.until, now
		}
		if l.at == 0 {
			return nil // it is on its way
		}
		if before && l.at > ended && !lasted {
			if err := c.d.gap(ctx, tx, c.place, c.recorder, hole{cause: CauseWindow, from: ended, to: l.at, fromAt: endedAt, toAt: now}); err != nil {
				return err
			}
		}
		if *covered, err = c.d.begin(ctx, tx, c.place, c.recorder, l.at, now); err != nil {
			return err
		}
		ended, endedAt, before, lasted = l.at, now, true, false
	}
	return c.reach(ctx, tx, covered, ended, p.reached, now)
}

// reach extends the row of this recorder. A watch that was resumed goes on with one, or
// begins one where it was, without a gap.
func (c *collection) reach(ctx context.Context, tx *sql.Tx, covered *coverage, from, to wire.Version, now time.Time) (err error) {
	if covered.id == 0 {
		if *covered, err = c.d.goOn(ctx, tx, c.place, c.recorder, from, now); err != nil {
			return err
		}
	}
	return c.d.extend(ctx, tx, c.place, covered, to, now)
}

// covers reports whether the ledger goes on: while a list is on its way nothing is
// covered before its end.
func (p *pending) covers(c *collection) bool {
	return p.list > 0 || !p.listing && c.listed == nil && p.reached > 0
}

// remember follows what was written.
func (c *collection) remember(p *pending, covered coverage, now time.Time) {
	for key, k := range p.objects {
		if k.uid == "" {
			delete(c.objects, key)
		} else {
			c.objects[key] = k
		}
	}
	switch {
	case !p.listing:
		c.listed = nil
	case p.anew || c.listed == nil:
		c.listed = p.listed
	default:
		for key := range p.listed {
			c.listed[key] = true
		}
	}
	c.covered, c.reached = covered, p.reached
	if covered.id != 0 && (!p.listing || covered.to > c.ended) {
		c.before, c.ended, c.endedAt = true, covered.to, now
	}
}
