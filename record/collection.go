package record

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/delta"
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
	of       func(map[string]any) state.Status
	redact   []fieldPath
	log      *slog.Logger
	bodies   *recent

	objects map[wire.Key]known
	listed  map[wire.Key]bool // while a list comes
	before  bool              // somebody has seen this scope before
	ended   wire.Version      // up to where, and when
	endedAt time.Time
	covered coverage
	reached wire.Version // of the watch
}

// load reads what is known of the objects of the scope, and where to resume.
func (c *collection) load(ctx context.Context) (resume wire.Version, err error) {
	if resume, c.endedAt, err = c.d.resume(ctx, c.place); err != nil {
		return 0, err
	}
	c.ended, c.reached, c.before = resume, resume, resume > 0
	c.objects = map[wire.Key]known{}
	query, args := "SELECT namespace, name, uid, version FROM objects WHERE cluster_id = ? AND resource_id = ? AND presence <> ?", []any{c.place.cluster, c.place.resource, int16(deleted)}
	if c.place.namespace != "" {
		query, args = query+" AND namespace = ?", append(args, c.place.namespace)
	}
	rows, err := c.d.db.QueryContext(ctx, c.d.dialect.query(query), args...)
	if err != nil {
		return 0, err
	}
	return resume, each(rows, func() error {
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

// pending is what a batch comes to: what is written, and what is remembered once
// that is done.
type pending struct {
	sightings []sighting
	objects   map[wire.Key]known // zero: it is gone
	gaps      []wire.Version     // at which an event could not be used
	details   []string
	reached   wire.Version // by events and bookmarks
	list      wire.Version // at which a list was complete; 0: none was
}

// write writes a batch of deltas, and tries until that is done or ctx is.
//
// Errors: the cause of ctx.
func (c *collection) write(ctx context.Context, deltas delta.Batch) (Result, error) {
	p := c.prepare(deltas)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		result, covered, err := c.try(ctx, p)
		if err == nil {
			c.remember(p, covered)
			return result, nil
		}
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		c.log.Error("the database does not take a batch", "revisions", len(p.sightings), "err", err, "retry", wait)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Result{}, context.Cause(ctx)
		}
	}
}

// prepare makes sightings of deltas.
func (c *collection) prepare(deltas delta.Batch) *pending {
	p := &pending{objects: map[wire.Key]known{}, reached: c.reached}
	for i := range deltas {
		d := &deltas[i]
		switch d.Kind {
		case delta.Begin:
			c.listed = map[wire.Key]bool{}
		case delta.Upsert:
			c.upsert(p, d)
		case delta.Delete:
			c.delete(p, d)
			p.reached = max(p.reached, d.Version)
		case delta.Bookmark:
			p.reached = max(p.reached, d.Version)
		case delta.End:
			c.end(p, d)
		case delta.Leave:
		}
	}
	return p
}

func (c *collection) find(p *pending, key wire.Key) (known, bool) {
	if k, ok := p.objects[key]; ok {
		return k, k.uid != ""
	}
	k, ok := c.objects[key]
	return k, ok
}

func (c *collection) upsert(p *pending, d *delta.Delta) {
	key, source := d.Record.Key, Watched
	if c.listed != nil {
		c.listed[key] = true
		if source = Listed; c.before {
			source = Relisted
		}
	} else {
		p.reached = max(p.reached, d.Version)
	}
	was, there := c.find(p, key)
	if there && was.uid == d.Record.UID && was.version >= d.Record.Version {
		return
	}
	s, err := look(d, source, c.of, c.redact)
	if err != nil {
		p.gaps, p.details = append(p.gaps, d.Version), append(p.details, err.Error())
		return
	}
	if there && was.uid != d.Record.UID { // its deletion was missed: this is a namesake
		p.sightings = append(p.sightings, missed(key, was, d.Record.Version-1, d.Seen, source))
	}
	p.sightings = append(p.sightings, s)
	p.objects[key] = known{d.Record.UID, d.Record.Version}
}

func (c *collection) delete(p *pending, d *delta.Delta) {
	key := d.Record.Key
	was, there := c.find(p, key)
	if there && was.uid == d.Record.UID {
		p.objects[key] = known{}
	}
	s, err := look(d, Watched, c.of, c.redact)
	if err != nil {
		p.gaps, p.details = append(p.gaps, d.Version), append(p.details, err.Error())
		s = missed(key, known{d.Record.UID, d.Record.Version}, d.Version, d.Seen, Inferred)
	}
	p.sightings = append(p.sightings, s)
}

// end concludes a list: what it lacks is gone.
func (c *collection) end(p *pending, d *delta.Delta) {
	if c.listed == nil {
		return
	}
	for key, k := range c.objects {
		if now, changed := p.objects[key]; changed && now.uid == "" || c.listed[key] {
			continue
		}
		p.sightings = append(p.sightings, missed(key, k, d.Version, d.Seen, Relisted))
		p.objects[key] = known{}
	}
	c.listed = nil
	p.list, p.reached = d.Version, d.Version
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

// try writes what is pending in one transaction.
func (c *collection) try(ctx context.Context, p *pending) (result Result, covered coverage, err error) {
	covered = c.covered
	now := time.Now()
	err = c.d.within(ctx, func(tx *sql.Tx) error {
		b := batch{d: c.d, tx: tx, cluster: c.place.cluster, resource: c.place.resource, bodies: c.bodies, packed: map[hash]packed{}}
		if len(p.sightings) > 0 {
			if err := b.write(ctx, p.sightings); err != nil {
				return err
			}
		}
		result = b.Result
		for i, at := range p.gaps {
			if err := c.d.gap(ctx, tx, c.place, c.recorder, CauseInvalid, at, at, now, now, p.details[i]); err != nil {
				return err
			}
		}
		return c.cover(ctx, tx, p, &covered, now)
	})
	return result, covered, err
}

// cover brings the ledger up to date.
func (c *collection) cover(ctx context.Context, tx *sql.Tx, p *pending, covered *coverage, now time.Time) (err error) {
	if p.list > 0 { // a new row, and what lies before it was not seen
		if c.before && p.list > c.ended {
			err = c.d.gap(ctx, tx, c.place, c.recorder, CauseWindow, c.ended, p.list, c.endedAt, now, "")
		}
		if err == nil {
			*covered, err = c.d.begin(ctx, tx, c.place, c.recorder, p.list, now)
		}
		return errors.Join(err, c.extendTo(ctx, tx, covered, p.reached, now))
	}
	if c.listed != nil || p.reached == 0 {
		return nil // a list is on its way: nothing is covered before its end
	}
	if covered.id == 0 { // resumed
		if *covered, err = c.d.begin(ctx, tx, c.place, c.recorder, c.ended, now); err != nil {
			return err
		}
	}
	return c.extendTo(ctx, tx, covered, p.reached, now)
}

func (c *collection) extendTo(ctx context.Context, tx *sql.Tx, covered *coverage, to wire.Version, now time.Time) error {
	if covered.id == 0 {
		return nil
	}
	return c.d.extend(ctx, tx, c.place, covered, to, now)
}

// remember follows what was written.
func (c *collection) remember(p *pending, covered coverage) {
	for key, k := range p.objects {
		if k.uid == "" {
			delete(c.objects, key)
		} else {
			c.objects[key] = k
		}
	}
	c.covered, c.reached = covered, p.reached
	if covered.id != 0 {
		c.before, c.ended, c.endedAt = true, covered.to, time.Now()
	}
}
