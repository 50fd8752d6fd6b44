package record

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// cut removes some revisions, in one transaction. It locks as writers do: objects, in
// the order of their numbers. So it and a writer see what the other has done to an
// object, and one may not remove what the other is about to refer to.
type cut struct {
	d        *Database
	tx       *sql.Tx
	keepLast int
	dry      bool
	subjects map[int64]*subject
	Pruned
}

// What a row takes on servers, with its part of the indexes and without its body;
// measured with 40,000 revisions, and good enough to tell when enough is gone. SQLite
// says how much it is.
const (
	revisionBytes   = sqldb.RevisionBytes
	transitionBytes = sqldb.TransitionBytes
	objectBytes     = sqldb.ObjectBytes
)

// verdict is what becomes of some revisions.
type verdict struct {
	drop, thin []any             // the numbers of their rows
	wholes     []*entry          // those that others may be compared with
	bases      map[[2]int64]bool // what those that go are compared with: object and version
	upTo       map[int64]int64   // by object: the last version that is dropped
	gone       map[int64]bool    // objects of which nothing is left
	due        map[[2]int64]bool // those that go, now or later: object and version
}

func (c *cut) make(ctx context.Context, some []entry, of func(*entry, *subject) lot) error {
	if err := c.d.TxOf(c.tx).PreferIndexes(ctx); err != nil {
		return err
	}
	if err := c.load(ctx, some); err != nil {
		return err
	}
	v := c.judge(some, of)
	if c.dry {
		c.Objects, c.Revisions, c.Thinned = len(v.gone), len(v.drop), len(v.thin)
		return c.foresee(ctx, v)
	}
	if len(v.upTo)+len(v.thin)+len(v.wholes) == 0 {
		return nil
	}
	if err := c.dropRevisions(ctx, v); err != nil {
		return err
	}
	if err := c.bases(ctx, v); err != nil {
		return err
	}
	for _, e := range v.wholes { // once those are gone that are compared with them
		what := of(e, c.subjects[e.object])
		if err := c.dropWhole(ctx, e, what); err != nil {
			return err
		}
		if what == dropped {
			v.upTo[e.object] = max(v.upTo[e.object], e.version)
		}
	}
	if err := c.dropTransitions(ctx, v.upTo); err != nil {
		return err
	}
	if err := c.dropObjects(ctx, v.gone); err != nil {
		return err
	}
	c.Bytes += revisionBytes*int64(c.Revisions) + transitionBytes*int64(c.Transitions) + objectBytes*int64(c.Objects)
	return nil
}

// judge says what becomes of each.
func (c *cut) judge(some []entry, of func(*entry, *subject) lot) *verdict {
	v := &verdict{upTo: map[int64]int64{}, gone: map[int64]bool{}, bases: map[[2]int64]bool{}, due: map[[2]int64]bool{}}
	for i := range some {
		e := &some[i]
		if s := c.subjects[e.object]; s != nil && e.version == s.version && of(e, s) == dropped {
			v.gone[e.object] = true
		}
	}
	for i := range some {
		e := &some[i]
		s := c.subjects[e.object]
		if s == nil { // it went meanwhile
			continue
		}
		what := of(e, s)
		if what == dropped {
			v.upTo[e.object] = max(v.upTo[e.object], e.version)
			v.due[[2]int64{e.object, e.version}] = true
		}
		switch {
		case what == stays, v.gone[e.object] && !c.dry, e.version == s.base && !v.gone[e.object]:
			continue
		case e.base == 0 && e.body && !c.dry:
			v.wholes = append(v.wholes, e)
			continue
		case e.base > 0 && e.base != s.base:
			v.bases[[2]int64{e.object, e.base}] = true
		}
		switch {
		case what == dropped:
			v.drop = append(v.drop, e.id)
		default:
			v.thin = append(v.thin, e.id)
		}
		c.Bytes += e.bytes
	}
	return v
}

// foresee counts transitions that go with the revisions of a dry run: each goes with the
// first revision at its version or later that is there and need not stay.
func (c *cut) foresee(ctx context.Context, v *verdict) error {
	return c.read(ctx, "SELECT t.object_id, t.version, (SELECT MIN(r.version) FROM revisions r JOIN objects o ON o.id = r.object_id"+
		" WHERE r.object_id = t.object_id AND r.version >= t.version AND (r.version <> o.base OR o.presence = ?)) FROM transitions t WHERE t.object_id IN ", keysOf(v.upTo), "", func(rows *sql.Rows) error {
		var object, version int64
		var with sql.NullInt64
		err := rows.Scan(&object, &version, &with)
		if v.due[[2]int64{object, with.Int64}] && (v.gone[object] || version < c.subjects[object].moved) {
			c.Transitions++
		}
		return err
	}, int16(deleted))
}

// load locks the objects of some revisions, and reads what their lot depends on.
func (c *cut) load(ctx context.Context, some []entry) error {
	ids := map[int64]bool{}
	for i := range some {
		ids[some[i].object] = true
	}
	c.subjects = map[int64]*subject{}
	lock := c.d.ForUpdate()
	if c.dry {
		lock = ""
	}
	err := c.read(ctx, "SELECT id, version, base, presence, state FROM objects WHERE id IN ", keysOf(ids), " ORDER BY uid"+lock, func(rows *sql.Rows) error {
		var id int64
		var present presence
		s := &subject{}
		err := rows.Scan(&id, &s.version, &s.base, &present, &s.state)
		s.over, s.floor = present == deleted, s.version
		c.subjects[id] = s
		return err
	})
	if err != nil {
		return err
	}
	err = c.read(ctx, "SELECT object_id, MAX(version) FROM transitions WHERE object_id IN ", keysOf(c.subjects), " GROUP BY object_id", func(rows *sql.Rows) error {
		var id, version int64
		err := rows.Scan(&id, &version)
		c.subjects[id].moved = version
		return err
	})
	if err != nil {
		return err
	}
	if err := c.states(ctx); err != nil {
		return err
	}
	return c.floors(ctx)
}

// states reads in which states deleted objects were before.
func (c *cut) states(ctx context.Context) error {
	over := map[int64]bool{}
	for id, s := range c.subjects {
		if s.over {
			over[id] = true
		}
	}
	return c.read(ctx, "SELECT object_id, from_state FROM transitions WHERE to_state = '"+string(state.Deleted)+"' AND object_id IN ", keysOf(over), "", func(rows *sql.Rows) error {
		var id int64
		var was state.State
		err := rows.Scan(&id, &was)
		c.subjects[id].state = was
		return err
	})
}

// floors finds the first of the revisions that stay whatever their age: of a deletion
// that nobody saw the one before it, which has the content.
func (c *cut) floors(ctx context.Context) error {
	for id, s := range c.subjects {
		if c.keepLast < 2 && !s.over {
			continue
		}
		row := c.tx.QueryRowContext(ctx, c.d.Rebind("SELECT MIN(version) FROM (SELECT version FROM revisions WHERE object_id = ? AND size > 0 ORDER BY version DESC LIMIT ?) newest"), id, c.keepLast)
		var floor sql.NullInt64
		if err := row.Scan(&floor); err != nil {
			return err
		}
		if floor.Valid {
			s.floor = min(s.floor, floor.Int64)
		}
	}
	return nil
}

// dropTransitions removes those up to the last revision that goes, but for the one to
// the state that the object is in.
func (c *cut) dropTransitions(ctx context.Context, upTo map[int64]int64) error {
	var most int64
	for _, version := range upTo {
		most = max(most, version)
	}
	var drop []any
	hours := map[int64][]int64{} // in which they were, by object
	err := c.read(ctx, "SELECT id, object_id, version, happened_at FROM transitions WHERE version <= ? AND object_id IN ", keysOf(upTo), "", func(rows *sql.Rows) error {
		var id, object, version, happened int64
		err := rows.Scan(&id, &object, &version, &happened)
		if version <= upTo[object] && version < c.subjects[object].moved {
			drop = append(drop, id)
			hours[object] = append(hours[object], hourOf(happened))
		}
		return err
	}, most)
	if err != nil {
		return err
	}
	n, err := c.in(ctx, "DELETE FROM transitions WHERE id IN ", drop)
	c.Transitions += n
	for _, id := range slices.Sorted(maps.Keys(hours)) {
		if err == nil {
			err = c.d.unmark(ctx, c.tx, id, hours[id])
		}
	}
	return err
}

// forget takes the content from a revision, and leaves its size and its hash.
const forget = "UPDATE revisions SET base = 0, dictionary_id = 0, data = ? WHERE "

func (c *cut) dropRevisions(ctx context.Context, v *verdict) error {
	n, err := c.in(ctx, "DELETE FROM revisions WHERE id IN ", v.drop)
	if err != nil {
		return err
	}
	c.Revisions += n
	n, err = c.in(ctx, forget+"id IN ", v.thin, []byte{})
	c.Thinned += n
	return err
}

// bases adds those to the wholes that the revisions which go were compared with: they
// had to stay until now.
func (c *cut) bases(ctx context.Context, v *verdict) error {
	if len(v.bases) == 0 {
		return nil
	}
	var args []any
	for b := range v.bases {
		args = append(args, b[0], b[1])
	}
	rows, err := c.d.query(ctx, c.tx, "SELECT id, object_id, version, seen_at, base, LENGTH(data) FROM revisions WHERE (object_id, version) IN "+c.d.Pairs(len(v.bases)), args...)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		e, err := scanEntry(rows)
		if !slices.ContainsFunc(v.wholes, func(w *entry) bool { return w.id == e.id }) {
			v.wholes = append(v.wholes, &e)
		}
		return err
	})
}

// dropWhole does so with a revision that is kept whole, unless another one is compared
// with it. Those that are follow it: the first that is compared with any tells,
// because revisions are appended in the order of their versions, each compared with
// the last whole one; what is filled in later is whole, and nothing is compared with
// it.
func (c *cut) dropWhole(ctx context.Context, e *entry, what lot) error {
	if what == stays {
		return nil
	}
	var base int64
	row := c.tx.QueryRowContext(ctx, c.d.Rebind("SELECT base FROM revisions WHERE object_id = ? AND version > ? AND base > 0 ORDER BY version LIMIT 1"), e.object, e.version)
	switch err := row.Scan(&base); {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	case base == e.version:
		return nil
	}
	c.Bytes += e.bytes
	if what == dropped {
		c.Revisions++
		_, err := c.d.exec(ctx, c.tx, "DELETE FROM revisions WHERE id = ?", e.id)
		return err
	}
	c.Thinned++
	_, err := c.d.exec(ctx, c.tx, forget+"id = ?", []byte{}, e.id)
	return err
}

// dropObjects removes objects with all that is left of them.
func (c *cut) dropObjects(ctx context.Context, gone map[int64]bool) error {
	ids := keysOf(gone)
	err := c.read(ctx, "SELECT COALESCE(SUM(LENGTH(data)), 0) FROM revisions WHERE object_id IN ", ids, "", func(rows *sql.Rows) error {
		var bytes int64
		err := rows.Scan(&bytes)
		c.Bytes += bytes
		return err
	})
	if err != nil {
		return err
	}
	for id := range gone {
		if err := c.d.unmark(ctx, c.tx, id, nil); err != nil {
			return err
		}
	}
	for _, from := range []struct {
		statement string
		count     *int
	}{
		{"DELETE FROM revisions WHERE object_id IN ", &c.Revisions},
		{"DELETE FROM transitions WHERE object_id IN ", &c.Transitions},
		{"DELETE FROM labels WHERE object_id IN ", new(int)},
		{"DELETE FROM objects WHERE id IN ", &c.Objects},
	} {
		n, err := c.in(ctx, from.statement, ids)
		if err != nil {
			return err
		}
		*from.count += n
	}
	return nil
}

// keysOf returns numbers of rows in their order, as parameters.
func keysOf[V any](of map[int64]V) []any {
	all := make([]any, 0, len(of))
	for _, id := range slices.Sorted(maps.Keys(of)) {
		all = append(all, id)
	}
	return all
}

// read calls f for the rows of a query that ends with IN, and what comes behind its
// list. Parameters before the list are first.
func (c *cut) read(ctx context.Context, query string, in []any, behind string, f func(*sql.Rows) error, first ...any) error {
	if len(in) == 0 {
		return nil
	}
	rows, err := c.d.query(ctx, c.tx, query+list(len(in))+behind, append(first, in...)...)
	if err != nil {
		return err
	}
	return each(rows, func() error { return f(rows) })
}

// in executes a statement that ends with IN, and returns how many rows it changed.
func (c *cut) in(ctx context.Context, statement string, in []any, first ...any) (int, error) {
	if len(in) == 0 {
		return 0, nil
	}
	result, err := c.d.exec(ctx, c.tx, statement+list(len(in)), append(first, in...)...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}
