package record

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
)

// term is something that objects are looked for by: a label, a namespace, an owner.
// It is a hash, and who finds an object by it has a look whether it is so.
//
// A mark says that an object with a term has changed its state in an hour. By marks,
// transitions are found in the order of time where few objects have a term; where
// many have, their transitions are met soon enough on the way. An index of each
// transition by each term would take several times the room.
type term int64

// The kinds of terms.
const (
	byCluster   = "cluster"
	byType      = "type"
	byNamespace = "namespace"
	byOwner     = "owner"
	byOwnerUID  = "owner uid"
	byQueue     = "queue"
	bySubmitter = "submitter"
	byLabel     = "label"
)

func termOf(kind, name, value string) term {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind + "\x00" + name + "\x00" + value)) // it can not fail
	return term(h.Sum64())
}

func numberTerm(kind string, id int64) term { return termOf(kind, "", strconv.FormatInt(id, 10)) }

// terms returns what an object is looked for by. What is empty is not looked for.
func (b *batch) terms(s *sighting) []term {
	all := []term{numberTerm(byCluster, b.cluster), numberTerm(byType, b.resource)}
	for kind, value := range map[string]string{byNamespace: s.namespace, byOwnerUID: s.owner.uid, byQueue: s.queue, bySubmitter: s.submitter} {
		if value != "" {
			all = append(all, termOf(kind, "", value))
		}
	}
	if s.owner.kind != "" {
		all = append(all, termOf(byOwner, s.owner.kind, s.owner.name))
	}
	for name, value := range s.labels {
		all = append(all, termOf(byLabel, name, value))
	}
	slices.Sort(all)
	return all
}

// found is a hash of the terms of an object: it tells whether they have changed.
func (b *batch) found(s *sighting) int64 {
	h := fnv.New64a()
	var number [8]byte
	for _, t := range b.terms(s) {
		binary.LittleEndian.PutUint64(number[:], uint64(t))
		_, _ = h.Write(number[:]) // it can not fail
	}
	return int64(h.Sum64())
}

// hour is the unit of time of marks, in microseconds.
const hour = 3_600_000_000

// hourOf returns the hour of a time.
func hourOf(micros int64) int64 {
	h := micros / hour
	if micros%hour < 0 {
		h--
	}
	return h
}

// passed notes that an object has a transition at a time.
func (r *row) passed(happened int64) {
	if h := hourOf(happened); !slices.Contains(r.hours, h) {
		r.hours = append(r.hours, h)
	}
}

// mark writes the marks of the transitions of a batch.
func (b *batch) mark(ctx context.Context) error {
	var marks [][]any
	for _, r := range slices.SortedFunc(maps.Values(b.rows), func(x, y *row) int { return cmp.Compare(x.id, y.id) }) {
		if r.remark {
			if err := b.hours(ctx, r); err != nil {
				return err
			}
		} else if len(r.hours) == 1 && r.known && r.hours[0] == hourOf(r.before) {
			continue // as of most: the transition before it has the same marks
		}
		if len(r.hours) == 0 {
			continue
		}
		terms, err := b.termsOf(ctx, r)
		if err != nil {
			return err
		}
		for _, t := range terms {
			for _, h := range r.hours {
				marks = append(marks, []any{int64(t), h, r.id})
			}
		}
	}
	slices.SortFunc(marks, func(x, y []any) int { // neighbours are written together
		return cmp.Or(cmp.Compare(x[0].(int64), y[0].(int64)), cmp.Compare(x[1].(int64), y[1].(int64)), cmp.Compare(x[2].(int64), y[2].(int64)))
	})
	return b.d.insertAll(ctx, b.tx, "transition_index", []string{"term", "hour", "object_id"}, marks, "term")
}

// hours notes all hours in which an object has transitions.
func (b *batch) hours(ctx context.Context, r *row) error {
	rows, err := b.d.query(ctx, b.tx, "SELECT happened_at FROM transitions WHERE object_id = ?", r.id)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		var at int64
		err := rows.Scan(&at)
		r.passed(at)
		return err
	})
}

// termsOf returns the terms of an object, as its last revision has them.
func (b *batch) termsOf(ctx context.Context, r *row) ([]term, error) {
	if r.last != nil && r.last.body != nil {
		return b.terms(r.last), nil
	}
	return b.d.storedTerms(ctx, b.tx, r.id)
}

// storedTerms returns the terms of an object by what the database has of it.
func (d *Database) storedTerms(ctx context.Context, tx *sql.Tx, id int64) ([]term, error) {
	s, b := sighting{labels: map[string]string{}}, batch{}
	row := tx.QueryRowContext(ctx, d.Rebind("SELECT cluster_id, resource_id, namespace, owner_uid, owner_kind, owner_name, queue, submitter FROM objects WHERE id = ?"), id)
	if err := row.Scan(&b.cluster, &b.resource, &s.namespace, &s.owner.uid, &s.owner.kind, &s.owner.name, &s.queue, &s.submitter); err != nil {
		return nil, err
	}
	rows, err := d.query(ctx, tx, "SELECT name, value FROM labels WHERE object_id = ?", id)
	if err != nil {
		return nil, err
	}
	err = each(rows, func() error {
		var name, value string
		err := rows.Scan(&name, &value)
		s.labels[name] = value
		return err
	})
	return b.terms(&s), err
}

// unmark deletes marks of an object: of those hours in which it has no transition any
// more; without hours all, of an object that is to be deleted with its transitions.
func (d *Database) unmark(ctx context.Context, tx *sql.Tx, id int64, hours []int64) error {
	terms, err := d.storedTerms(ctx, tx, id)
	if err != nil {
		return err
	}
	b, r := batch{d: d, tx: tx}, &row{id: id}
	if err := b.hours(ctx, r); err != nil {
		return err
	}
	if hours == nil {
		hours, r.hours = r.hours, nil
	}
	slices.Sort(hours)
	for _, h := range slices.Compact(hours) {
		if slices.Contains(r.hours, h) {
			continue
		}
		for _, t := range terms {
			if _, err := d.exec(ctx, tx, "DELETE FROM transition_index WHERE term = ? AND hour = ? AND object_id = ?", int64(t), h, id); err != nil {
				return err
			}
		}
	}
	return nil
}
