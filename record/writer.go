package record

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// presence says whether an object is there.
type presence int16

const (
	there presence = iota
	deleted
	unknown // it can not be seen now: rights were taken away, the type is gone, the cluster was rebuilt
	left    // it is there, and not among what is selected any more
)

// row is an object as the database has it, while a transaction has its lock.
type row struct {
	id       int64
	uid      string
	presence presence
	version  int64
	state    string
	raw      string
	since    int64
	labels   int64 // their hash
	scope    int64 // the selectors with which it was seen last
	base     int64 // the version of the last revision that is kept whole
	depth    int16 // how many since are kept as what they differ in from it

	had     presence  // before
	first   *sighting // what was appended first
	last    *sighting // and last
	changed bool      // its state, with last
	moved   bool      // it was seen with other selectors

	hours  []int64 // of its transitions in this batch
	remark bool    // all of its transitions need marks
	known  bool    // it had a transition before this batch, at
	before int64
}

// batch is what is written in one transaction, of one collection.
type batch struct {
	d         *Database
	tx        *sql.Tx
	cluster   int64
	resource  int64
	scope     int64
	packer    *packer
	dict      *dictionary      // nil: bodies are not packed
	looked    bool             // whether dict is good
	wholes    map[int64]whole  // what packer is to know once this is committed, by object
	plain     map[int64][]byte // those of them that were unpacked
	samples   [][]byte         // bodies that were kept whole
	rows      map[string]*row  // by UID
	revisions [][]any
	moves     [][]any
	now       [][]any // what objects are,
	same      [][]any // and those whose state and presence are what they were
	labels    [][]any
	relabeled []int64 // objects whose labels were others
	sought    [][]any // what else objects are looked for by, where that was other
	late      []*sighting
	happened  []int64 // when the transitions that a watch has brought did
	Result
}

// Result counts what a batch has written.
type Result struct {
	// Revisions and Transitions are those that are new; Known revisions had been
	// written by another recorder, or before a restart.
	Revisions, Transitions, Known int
}

// write writes sightings, in their order.
func (b *batch) write(ctx context.Context, all []sighting) error {
	if err := b.lock(ctx, all); err != nil {
		return err
	}
	if err := b.train(ctx, all); err != nil {
		return fmt.Errorf("dictionaries: %w", err)
	}
	if err := b.fetch(ctx); err != nil {
		return fmt.Errorf("bodies: %w", err)
	}
	for i := range all {
		s := &all[i]
		r := b.rows[s.uid]
		switch {
		case r.presence == deleted && s.gone && s.source != Watched:
			b.Known++ // an object is deleted once
		case r.presence == deleted && s.gone:
			b.late = append(b.late, s) // who has seen it knows better than who has missed it
		case int64(s.version) > r.version:
			b.append(r, s)
		default:
			b.late = append(b.late, s)
		}
		if !s.gone && r.scope != b.scope {
			r.scope, r.moved = b.scope, true
		}
	}
	if err := b.insert(ctx); err != nil {
		return err
	}
	if err := b.update(ctx); err != nil {
		return err
	}
	if err := b.fillIn(ctx); err != nil {
		return err
	}
	if err := b.mark(ctx); err != nil {
		return fmt.Errorf("marks: %w", err)
	}
	return nil
}

// lock makes rows for objects that have none, and locks and reads those of all.
func (b *batch) lock(ctx context.Context, all []sighting) error {
	b.rows = map[string]*row{}
	firsts := map[string]*sighting{}
	for i := range all {
		if firsts[all[i].uid] == nil {
			firsts[all[i].uid] = &all[i]
		}
	}
	uids := slices.Sorted(maps.Keys(firsts)) // the same order for all who lock
	if err := b.read(ctx, uids); err != nil {
		return err
	}
	var missing [][]any
	for _, uid := range uids {
		if b.rows[uid] == nil {
			missing = append(missing, b.newObject(firsts[uid]))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := b.d.insertAll(ctx, b.tx, "objects", objectColumns, missing, "uid"); err != nil {
		return err
	}
	return b.read(ctx, uids)
}

var objectColumns = []string{
	"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter",
	"created_at", "seen_at", "presence", "gone_at", "version", "state", "raw_state", "reason", "message", "since", "labels_hash", "scope", "base", "depth",
}

func (b *batch) newObject(s *sighting) []any {
	return []any{
		b.cluster, b.resource, s.namespace, s.name, s.uid, s.owner.uid, s.owner.kind, s.owner.name, s.queue, s.submitter,
		micros(s.created), micros(s.seen), int16(there), int64(0), int64(0), "", "", "", "", int64(0), int64(0), b.scope, int64(0), int16(0),
	}
}

// read locks and reads the rows of objects.
func (b *batch) read(ctx context.Context, uids []string) error {
	for some := range slices.Chunk(uids, 500) {
		err := b.d.TxOf(b.tx).LockObjects(ctx, "id, uid, presence, version, state, raw_state, since, labels_hash, scope, base, depth", b.cluster, b.resource, some, func(rows *sql.Rows) error {
			r := &row{}
			if err := rows.Scan(&r.id, &r.uid, &r.presence, &r.version, &r.state, &r.raw, &r.since, &r.labels, &r.scope, &r.base, &r.depth); err != nil {
				return err
			}
			r.known, r.before, r.had = r.version > 0, r.since, r.presence
			b.rows[r.uid] = r
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls f for every row, and closes them.
func each(rows *sql.Rows, f func() error) error {
	defer rows.Close()
	for rows.Next() {
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// append writes a revision behind all that there are of its object.
func (b *batch) append(r *row, s *sighting) {
	if s.flaw != nil && !s.gone { // the state may be unchanged
		s.status.State, s.status.Raw = state.State(r.state), r.raw
	}
	to, raw := string(s.status.State), short(s.status.Raw, 250)
	if r.version == 0 || to != r.state || raw != r.raw {
		r.changed, r.since = true, s.happened(r.since)
		b.moves = append(b.moves, transition(r.id, s, r.state, r.raw, r.since))
		if s.source == Watched {
			b.happened = append(b.happened, r.since)
		}
		r.passed(r.since)
	}
	if r.first == nil {
		r.first = s
	}
	b.revisions = append(b.revisions, revision(r.id, s, b.store(r, s)))
	r.version, r.state, r.raw, r.last = int64(s.version), to, raw, s
	if r.presence = there; s.gone {
		r.presence = deleted
	}
}

var (
	revisionColumns   = []string{"object_id", "version", "deleted", "source", "seen_at", "state", "raw_state", "body", "base", "dictionary_id", "size", "data"}
	transitionColumns = []string{"object_id", "version", "from_state", "to_state", "from_raw", "to_raw", "reason", "message", "happened_at", "seen_at", "source"}
)

func revision(id int64, s *sighting, c content) []any {
	gone := int16(0)
	if s.gone {
		gone = 1
	}
	return append([]any{id, int64(s.version), gone, int16(s.source), micros(s.seen), string(s.status.State), short(s.status.Raw, 250)}, c.columns()...)
}

func transition(id int64, s *sighting, from, raw string, happened int64) []any {
	return []any{
		id, int64(s.version), from, string(s.status.State), raw, short(s.status.Raw, 250),
		short(s.status.Reason, 250), short(s.status.Message, longestMessage), happened, micros(s.seen), int16(s.source),
	}
}

// insert writes what was appended.
func (b *batch) insert(ctx context.Context) error {
	for _, into := range []struct {
		table   string
		columns []string
		rows    [][]any
	}{{"revisions", revisionColumns, b.revisions}, {"transitions", transitionColumns, b.moves}} {
		if err := b.d.insertAll(ctx, b.tx, into.table, into.columns, into.rows, ""); err != nil {
			return fmt.Errorf("%s: %w", into.table, err)
		}
	}
	b.Revisions += len(b.revisions)
	b.Transitions += len(b.moves)
	return nil
}

// update writes what the objects are now.
func (b *batch) update(ctx context.Context) error {
	changed := slices.SortedFunc(maps.Values(b.rows), func(x, y *row) int { return cmp.Compare(x.id, y.id) })
	for _, r := range changed {
		if r.last == nil {
			if err := b.move(ctx, r); err != nil {
				return fmt.Errorf("objects: %w", err)
			}
			continue
		}
		b.updateOne(r, r.last)
	}
	return b.writeNow(ctx)
}

// move notes that an object whose revision was known is among what these selectors
// choose: who follows them has to miss it when it goes.
func (b *batch) move(ctx context.Context, r *row) error {
	if !r.moved || r.presence == deleted {
		return nil
	}
	_, err := b.d.exec(ctx, b.tx, "UPDATE objects SET scope = ?, presence = ? WHERE id = ?", r.scope, int16(there), r.id)
	return err
}

// updateOne notes what an object is now, for writeNow.
func (b *batch) updateOne(r *row, s *sighting) {
	gone := int64(0)
	if s.gone {
		gone = micros(s.seen)
	}
	labels := b.found(s)
	if s.body == nil { // nothing was seen of it but that it is gone
		labels = r.labels
	}
	now := []any{r.id, r.version, short(s.status.Reason, 250), short(s.status.Message, longestMessage), labels, r.scope, r.base, r.depth}
	if r.changed || r.presence != r.had {
		b.now = append(b.now, append(now, int16(r.presence), gone, r.state, r.raw, r.since))
	} else {
		b.same = append(b.same, now)
	}
	if labels == r.labels {
		return
	}
	if r.labels != 0 {
		b.relabeled = append(b.relabeled, r.id)
	}
	if r.known || s != r.first {
		r.remark = true // what has happened before is found by its new labels too
		b.sought = append(b.sought, []any{r.id, s.owner.uid, s.owner.kind, s.owner.name, s.queue, s.submitter})
	}
	for _, name := range slices.Sorted(maps.Keys(s.labels)) {
		b.labels = append(b.labels, []any{r.id, name, s.labels[name]})
	}
}

// What most revisions change comes first: no index has it, and those of the rest are left
// alone where only that is written.
var (
	sameColumns = []string{"id", "version", "reason", "message", "labels_hash", "scope", "base", "depth"}
	nowColumns  = slices.Concat(sameColumns, []string{"presence", "gone_at", "state", "raw_state", "since"})
)

var soughtColumns = []string{"id", "owner_uid", "owner_kind", "owner_name", "queue", "submitter"}

// writeNow writes what updateOne has noted.
func (b *batch) writeNow(ctx context.Context) error {
	for _, u := range []struct {
		columns []string
		rows    [][]any
	}{{nowColumns, b.now}, {sameColumns, b.same}, {soughtColumns, b.sought}} {
		if err := b.d.updateAll(ctx, b.tx, "objects", u.columns, u.rows); err != nil {
			return fmt.Errorf("objects: %w", err)
		}
	}
	for some := range slices.Chunk(b.relabeled, 500) {
		args := make([]any, len(some))
		for i, id := range some {
			args[i] = id
		}
		if _, err := b.d.exec(ctx, b.tx, "DELETE FROM labels WHERE object_id IN "+list(len(some)), args...); err != nil {
			return fmt.Errorf("labels: %w", err)
		}
	}
	if err := b.d.insertAll(ctx, b.tx, "labels", []string{"object_id", "name", "value"}, b.labels, ""); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	return nil
}

// fillIn writes revisions that come after later ones of their objects: those that
// another recorder has missed.
func (b *batch) fillIn(ctx context.Context) error {
	slices.SortStableFunc(b.late, func(x, y *sighting) int { return cmp.Compare(x.version, y.version) })
	for _, s := range b.late {
		r := b.rows[s.uid]
		rows, err := b.d.query(ctx, b.tx, "SELECT 1 FROM revisions WHERE object_id = ? AND version = ?", r.id, int64(s.version))
		if err != nil {
			return err
		}
		known := rows.Next()
		if err := rows.Close(); err != nil {
			return err
		}
		if known {
			b.Known++
			continue
		}
		r.remark = true
		if s.gone {
			if err := b.correctDeletion(ctx, r, s); err != nil {
				return err
			}
			continue
		}
		if err := b.fillInOne(ctx, r, s); err != nil {
			return err
		}
	}
	return nil
}

// fillInOne writes one, and makes the transitions at it and behind it anew.
func (b *batch) fillInOne(ctx context.Context, r *row, s *sighting) error {
	c := pack(s.body, hashOf(s.body), b.dict)
	if err := b.d.insertAll(ctx, b.tx, "revisions", revisionColumns, [][]any{revision(r.id, s, c)}, ""); err != nil {
		return err
	}
	b.Revisions++
	from, raw, err := b.beside(ctx, r.id, int64(s.version), "<", "DESC")
	if err != nil {
		return err
	}
	to, toRaw := string(s.status.State), short(s.status.Raw, 250)
	if from != to || raw != toRaw {
		b.Transitions++
		happened, err := b.between(ctx, r.id, s)
		if err != nil {
			return err
		}
		if err := b.d.insertAll(ctx, b.tx, "transitions", transitionColumns, [][]any{transition(r.id, s, from, raw, happened)}, ""); err != nil {
			return err
		}
	}
	if err := b.mend(ctx, r.id, s); err != nil {
		return err
	}
	// The last transition may be another now.
	_, err = b.d.exec(ctx, b.tx, "UPDATE objects SET since = COALESCE((SELECT happened_at FROM transitions WHERE object_id = ? ORDER BY version DESC LIMIT 1), since) WHERE id = ?", r.id, r.id)
	return err
}

// between returns when a transition that is filled in happened: neither before the
// one before it, nor after the one behind it.
func (b *batch) between(ctx context.Context, id int64, s *sighting) (int64, error) {
	var before, behind sql.NullInt64
	row := b.tx.QueryRowContext(ctx, b.d.Rebind("SELECT (SELECT happened_at FROM transitions WHERE object_id = ? AND version < ? ORDER BY version DESC LIMIT 1),"+
		" (SELECT happened_at FROM transitions WHERE object_id = ? AND version > ? ORDER BY version LIMIT 1)"), id, int64(s.version), id, int64(s.version))
	if err := row.Scan(&before, &behind); err != nil {
		return 0, err
	}
	happened := s.happened(before.Int64)
	if behind.Valid {
		happened = min(happened, behind.Int64)
	}
	return happened, nil
}

// correctDeletion puts a deletion that was seen in the place of one that was
// concluded from a list.
func (b *batch) correctDeletion(ctx context.Context, r *row, s *sighting) error {
	found, err := b.d.exec(ctx, b.tx, "DELETE FROM revisions WHERE object_id = ? AND deleted = 1 AND source <> ?", r.id, int16(Watched))
	if err != nil {
		return err
	}
	if n, err := found.RowsAffected(); err != nil || n == 0 {
		b.Known++ // somebody has seen it too
		return err
	}
	if _, err := b.d.exec(ctx, b.tx, "DELETE FROM transitions WHERE object_id = ? AND to_state = ?", r.id, string(state.Deleted)); err != nil {
		return err
	}
	if err := b.fillInOne(ctx, r, s); err != nil {
		return err
	}
	_, err = b.d.exec(ctx, b.tx, "UPDATE objects SET version = ?, gone_at = ?, raw_state = ?, reason = ?, message = ? WHERE id = ?",
		int64(s.version), micros(s.seen), short(s.status.Raw, 250), short(s.status.Reason, 250), short(s.status.Message, longestMessage), r.id)
	return err
}

// beside returns the state of the revision before or behind a version.
func (b *batch) beside(ctx context.Context, id, version int64, than, order string) (to, raw string, err error) {
	row := b.tx.QueryRowContext(ctx, b.d.Rebind("SELECT state, raw_state FROM revisions WHERE object_id = ? AND version "+than+" ? ORDER BY version "+order+" LIMIT 1"), id, version)
	if err = row.Scan(&to, &raw); err == sql.ErrNoRows {
		err = nil
	}
	return to, raw, err
}

// mend corrects the transition of the revision behind one that was filled in: it
// comes from the state of that one now, or is none any more, or is one now.
func (b *batch) mend(ctx context.Context, id int64, s *sighting) error {
	var version, seen int64
	var source int16
	var to, raw string
	row := b.tx.QueryRowContext(ctx, b.d.Rebind("SELECT version, seen_at, source, state, raw_state FROM revisions WHERE object_id = ? AND version > ? ORDER BY version LIMIT 1"), id, int64(s.version))
	if err := row.Scan(&version, &seen, &source, &to, &raw); err != nil {
		if s.gone && errors.Is(err, sql.ErrNoRows) {
			return nil // nothing follows a deletion
		}
		return err // there is one: this one came late
	}
	from, fromRaw := string(s.status.State), short(s.status.Raw, 250)
	if from == to && fromRaw == raw {
		_, err := b.d.exec(ctx, b.tx, "DELETE FROM transitions WHERE object_id = ? AND version = ?", id, version)
		return err
	}
	changed, err := b.d.exec(ctx, b.tx, "UPDATE transitions SET from_state = ?, from_raw = ? WHERE object_id = ? AND version = ?", from, fromRaw, id, version)
	if err != nil {
		return err
	}
	if n, err := changed.RowsAffected(); err != nil || n > 0 {
		return err
	}
	next := sighting{version: s.version, source: Source(source), seen: time.UnixMicro(seen)}
	next.version, next.status.State, next.status.Raw = wire.Version(version), state.State(to), raw
	happened, err := b.between(ctx, id, &next)
	if err != nil {
		return err
	}
	args := transition(id, &next, from, fromRaw, happened)
	return b.d.insertAll(ctx, b.tx, "transitions", transitionColumns, [][]any{args}, "version")
}
