package model

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// The transition index records that an object with a term changed its state in an hour. It
// finds transitions in the order of time if few objects have a term. If many objects have a
// term, a scan of the transitions finds them soon enough. An index of each transition by
// each term would take several times the space.
//
// IndexTable is the name of its table.
const IndexTable = "transition_index"

// IndexEntry is an entry of the transition index.
type IndexEntry struct {
	Term         Term
	Hour, Object int64
}

// hour is the unit of time of the transition index, in microseconds.
const hour = 3_600_000_000

// HourOf returns the hour that contains a time in microseconds.
func HourOf(micros int64) int64 {
	h := micros / hour
	if micros%hour < 0 {
		h--
	}
	return h
}

// HourStart returns the time when an hour begins, in microseconds.
func HourStart(h int64) int64 { return h * hour }

// InsertIndexEntries inserts the entries that do not exist yet. It sorts all, so that
// neighbors in the index are written together.
func InsertIndexEntries(ctx context.Context, tx *sqldb.Tx, all []IndexEntry) error {
	return insertEntries(all, func(columns []string, rows [][]any) error {
		return tx.InsertNew(ctx, IndexTable, columns, rows, "term")
	})
}

// InsertFirstIndexEntries is InsertIndexEntries for objects that have no entries yet. The
// database then compares them with no existing ones.
func InsertFirstIndexEntries(ctx context.Context, tx *sqldb.Tx, all []IndexEntry) error {
	return insertEntries(all, func(columns []string, rows [][]any) error {
		return tx.Insert(ctx, IndexTable, columns, rows)
	})
}

func insertEntries(all []IndexEntry, insert func(columns []string, rows [][]any) error) error {
	slices.SortFunc(all, func(x, y IndexEntry) int {
		return cmp.Or(cmp.Compare(x.Term, y.Term), cmp.Compare(x.Hour, y.Hour), cmp.Compare(x.Object, y.Object))
	})
	all = slices.Compact(all) // two terms of an object may have the same hash
	rows := make([][]any, len(all))
	for i, e := range all {
		rows[i] = []any{int64(e.Term), e.Hour, e.Object}
	}
	if err := insert([]string{"term", "hour", "object_id"}, rows); err != nil {
		return fmt.Errorf("table %s: %w", IndexTable, err)
	}
	return nil
}

// ReadIndex calls each for the entries of a term between two hours, both inclusive, in
// ascending or descending order, up to limit entries.
func ReadIndex(ctx context.Context, q sqldb.Querier, t Term, from, to int64, ascending bool, limit int, each func(hour, object int64)) error {
	order := " DESC"
	if ascending {
		order = ""
	}
	return q.Query(ctx, "SELECT hour, object_id FROM "+IndexTable+" WHERE term = ? AND hour >= ? AND hour <= ? ORDER BY hour"+order+", object_id"+order+" LIMIT ?",
		[]any{int64(t), from, to, limit}, func(rows *sql.Rows) error {
			var h, object int64
			err := rows.Scan(&h, &object)
			each(h, object)
			return err
		})
}

// ObjectsWithTerms returns the objects that had a transition while they had one of some
// terms, without duplicates, those of the newest hours first. It reads at most limit
// entries.
func ObjectsWithTerms(ctx context.Context, q sqldb.Querier, terms []Term, limit int) (objects []int64, err error) {
	ids := make([]int64, len(terms))
	for i, t := range terms {
		ids[i] = int64(t)
	}
	err = q.Query(ctx, "SELECT object_id FROM "+IndexTable+" WHERE term IN "+inList(ids)+" ORDER BY hour DESC, object_id DESC LIMIT ?", []any{limit}, func(rows *sql.Rows) error {
		var object int64
		err := rows.Scan(&object)
		objects = append(objects, object)
		return err
	})
	slices.Sort(objects)
	return slices.Compact(objects), err
}

// StoredTerms returns the terms of an object that follow from its stored attributes.
func StoredTerms(ctx context.Context, q sqldb.Querier, object int64) ([]Term, error) {
	a, err := ReadAttributes(ctx, q, object)
	if err != nil {
		return nil, err
	}
	if a.Labels, err = ReadLabels(ctx, q, object); err != nil {
		return nil, err
	}
	return a.Terms(), nil
}

// TransitionHours returns the hours in which an object has transitions, in ascending order.
func TransitionHours(ctx context.Context, q sqldb.Querier, object int64) ([]int64, error) {
	hours, err := TransitionTimes(ctx, q, object)
	for i, at := range hours {
		hours[i] = HourOf(at)
	}
	slices.Sort(hours)
	return slices.Compact(hours), err
}

// UnindexHours deletes the entries of an object for each of some hours without a transition
// of the object.
func UnindexHours(ctx context.Context, tx *sqldb.Tx, object int64, hours []int64) error {
	terms, err := StoredTerms(ctx, tx, object)
	if err != nil {
		return err
	}
	left, err := TransitionHours(ctx, tx, object)
	if err != nil {
		return err
	}
	slices.Sort(hours)
	for _, h := range slices.Compact(hours) {
		if !slices.Contains(left, h) {
			if err := deleteEntries(ctx, tx, terms, h, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unindex deletes all entries of an object. Call it before its transitions are deleted.
func Unindex(ctx context.Context, tx *sqldb.Tx, object int64) error {
	terms, err := StoredTerms(ctx, tx, object)
	if err != nil {
		return err
	}
	hours, err := TransitionHours(ctx, tx, object)
	if err != nil {
		return err
	}
	for _, h := range hours {
		if err := deleteEntries(ctx, tx, terms, h, object); err != nil {
			return err
		}
	}
	return nil
}

func deleteEntries(ctx context.Context, tx *sqldb.Tx, terms []Term, h, object int64) error {
	for _, t := range terms {
		if _, err := tx.Exec(ctx, "DELETE FROM "+IndexTable+" WHERE term = ? AND hour = ? AND object_id = ?", int64(t), h, object); err != nil {
			return err
		}
	}
	return nil
}

// IndexEntriesOf returns all entries of some objects, also those with terms that the objects no
// longer have. It reads the whole index.
func IndexEntriesOf(ctx context.Context, q sqldb.Querier, objects []int64) (all []IndexEntry, err error) {
	err = queryIn(ctx, q, "SELECT term, hour, object_id FROM "+IndexTable+" WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var e IndexEntry
		err := rows.Scan(&e.Term, &e.Hour, &e.Object)
		all = append(all, e)
		return err
	})
	return all, err
}

// DeleteIndexEntries deletes entries.
func DeleteIndexEntries(ctx context.Context, tx *sqldb.Tx, all []IndexEntry) error {
	for _, e := range all {
		if err := deleteEntries(ctx, tx, []Term{e.Term}, e.Hour, e.Object); err != nil {
			return err
		}
	}
	return nil
}
