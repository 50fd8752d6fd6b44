package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// StoredBody is a body as a revision stores it: as a keyframe, which is complete and may
// be compressed with a dictionary; or as the difference from an earlier keyframe
// of the same object.
//
// The zero value is the body of a deletion that was inferred. A body with a size and
// without data was removed by retention.
type StoredBody struct {
	Hash       [16]byte     // of the content
	Base       wire.Version // of the keyframe; 0: this is a keyframe
	Dictionary int64        // number of the dictionary; 0: not compressed
	Size       int          // of the decoded body, in bytes
	Data       []byte
}

// noData is stored where there is no body: the column does not take NULL.
var noData = []byte{}

// storedBodyColumns are the columns that a StoredBody fills.
var storedBodyColumns = []string{"body", "base", "dictionary_id", "size", "data"}

// columns appends the values of storedBodyColumns to a row.
func (b *StoredBody) columns(row []any) []any {
	data := b.Data
	if data == nil {
		data = noData
	}
	return append(row, b.Hash[:], int64(b.Base), b.Dictionary, int64(b.Size), data)
}

// Revision is a revision of an object.
type Revision struct {
	ObjectID        int64
	Version         wire.Version
	Deleted         bool // the object was deleted with this revision or before it
	Source          Source
	SeenAt          int64 // in microseconds
	State, RawState string
	Body            StoredBody
}

var revisionColumns = slices.Concat([]string{"object_id", "version", "deleted", "source", "seen_at", "state", "raw_state"}, storedBodyColumns)

// InsertRevisions inserts revisions that are not stored yet.
func InsertRevisions(ctx context.Context, tx *sqldb.Tx, all []Revision) error {
	rows := make([][]any, len(all))
	for i := range all {
		r := &all[i]
		deleted := int16(0)
		if r.Deleted {
			deleted = 1
		}
		row := append(make([]any, 0, len(revisionColumns)), r.ObjectID, int64(r.Version), deleted, int16(r.Source), r.SeenAt, r.State, r.RawState)
		rows[i] = r.Body.columns(row)
	}
	if err := tx.Insert(ctx, "revisions", revisionColumns, rows); err != nil {
		return fmt.Errorf("table revisions: %w", err)
	}
	return nil
}

// HasRevision reports whether a revision is stored.
func HasRevision(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (found bool, err error) {
	err = q.Query(ctx, "SELECT 1 FROM revisions WHERE object_id = ? AND version = ?", []any{object, int64(version)}, func(*sql.Rows) error {
		found = true
		return nil
	})
	return found, err
}

// StateBefore returns the state and the raw state of the last revision before a version, and
// false if there is none. A revision can have an empty state.
func StateBefore(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (state, raw string, found bool, err error) {
	err = q.QueryRow(ctx, "SELECT state, raw_state FROM revisions WHERE object_id = ? AND version < ? ORDER BY version DESC LIMIT 1", object, int64(version)).Scan(&state, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", false, nil
	}
	return state, raw, err == nil, err
}

// RevisionAfter returns the first revision after a version, without its body.
//
// Errors: sql.ErrNoRows if there is none.
func RevisionAfter(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (Revision, error) {
	r := Revision{ObjectID: object}
	var next int64
	row := q.QueryRow(ctx, "SELECT version, seen_at, source, state, raw_state FROM revisions WHERE object_id = ? AND version > ? ORDER BY version LIMIT 1", object, int64(version))
	err := row.Scan(&next, &r.SeenAt, &r.Source, &r.State, &r.RawState)
	r.Version = wire.Version(next)
	return r, err
}

// DeleteInferredDeletion deletes the revision of a deletion that no watch reported, and
// returns whether there was one.
func DeleteInferredDeletion(ctx context.Context, tx *sqldb.Tx, object int64) (bool, error) {
	n, err := tx.Exec(ctx, "DELETE FROM revisions WHERE object_id = ? AND deleted = 1 AND source <> ?", object, int16(Watched))
	return n > 0, err
}

// RevisionID identifies a revision.
type RevisionID struct {
	Object  int64
	Version wire.Version
}

// Keyframe is a revision whose body is stored whole.
type Keyframe struct {
	Object  int64
	Version wire.Version
	StoredBody
}

// ReadKeyframes calls each for those of some revisions that are keyframes.
func ReadKeyframes(ctx context.Context, tx *sqldb.Tx, ids []RevisionID, each func(Keyframe)) error {
	for some := range slices.Chunk(ids, 200) {
		args := make([]any, 0, 2*len(some))
		for _, id := range some {
			args = append(args, id.Object, int64(id.Version))
		}
		query := "SELECT object_id, version, body, dictionary_id, size, data FROM revisions WHERE (object_id, version) IN " + tx.Pairs(len(some)) + " AND base = 0"
		err := tx.Query(ctx, query, args, func(rows *sql.Rows) error {
			var k Keyframe
			var version int64
			var hash []byte
			if err := rows.Scan(&k.Object, &version, &hash, &k.Dictionary, &k.Size, &k.Data); err != nil {
				return err
			}
			k.Version = wire.Version(version)
			copy(k.Hash[:], hash)
			each(k)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadStoredBody returns the body of the revision at a version as it is stored.
//
// Errors: sql.ErrNoRows if there is no such revision.
func ReadStoredBody(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (StoredBody, error) {
	return scanStoredBody(ctx, q, "version = ?", object, version)
}

// ReadStoredBodies calls each for some revisions with their bodies as they are stored.
func ReadStoredBodies(ctx context.Context, db *sqldb.DB, ids []RevisionID, each func(RevisionID, StoredBody)) error {
	for some := range slices.Chunk(ids, 200) {
		args := make([]any, 0, 2*len(some))
		for _, id := range some {
			args = append(args, id.Object, int64(id.Version))
		}
		query := "SELECT object_id, version, body, base, dictionary_id, size, data FROM revisions WHERE (object_id, version) IN " + db.Pairs(len(some))
		err := db.Query(ctx, query, args, func(rows *sql.Rows) error {
			var id RevisionID
			var b StoredBody
			var version, base int64
			var hash []byte
			if err := rows.Scan(&id.Object, &version, &hash, &base, &b.Dictionary, &b.Size, &b.Data); err != nil {
				return err
			}
			id.Version, b.Base = wire.Version(version), wire.Version(base)
			copy(b.Hash[:], hash)
			each(id, b)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadStoredBodyBefore returns the body of the last revision before a version as it is
// stored.
//
// Errors: sql.ErrNoRows if there is no such revision.
func ReadStoredBodyBefore(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (StoredBody, error) {
	return scanStoredBody(ctx, q, "version < ?", object, version)
}

func scanStoredBody(ctx context.Context, q sqldb.Querier, which string, object int64, version wire.Version) (b StoredBody, err error) {
	var hash []byte
	var base int64
	row := q.QueryRow(ctx, "SELECT body, base, dictionary_id, size, data FROM revisions WHERE object_id = ? AND "+which+" ORDER BY version DESC LIMIT 1", object, int64(version))
	if err = row.Scan(&hash, &base, &b.Dictionary, &b.Size, &b.Data); err != nil {
		return b, fmt.Errorf("body of object %d at version %v: %w", object, version, err)
	}
	b.Base = wire.Version(base)
	copy(b.Hash[:], hash)
	return b, nil
}

// IsInferredDeletion reports whether a revision is a deletion that no watch reported.
func IsInferredDeletion(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (bool, error) {
	var deleted int16
	var source Source
	err := q.QueryRow(ctx, "SELECT deleted, source FROM revisions WHERE object_id = ? AND version = ?", object, int64(version)).Scan(&deleted, &source)
	return deleted == 1 && source != Watched, err
}

// FindRevision returns the version of a revision of an object: that at a version, or the
// last one if version is 0.
//
// Errors: sql.ErrNoRows if there is none.
func FindRevision(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (wire.Version, error) {
	query, args := "SELECT version FROM revisions WHERE object_id = ? ORDER BY version DESC LIMIT 1", []any{object}
	if version > 0 {
		query, args = "SELECT version FROM revisions WHERE object_id = ? AND version = ?", append(args, int64(version))
	}
	found, err := oneNumber(ctx, q, query, args...)
	return wire.Version(found), err
}

// RevisionsOf returns the query for the revisions of an object, in the order of their
// versions. ScanRevision reads its rows.
func RevisionsOf(object int64) Query {
	return Query{"SELECT version, deleted, source, seen_at, state, raw_state FROM revisions WHERE object_id = ?", []any{object}, "version"}
}

// ScanRevision reads a row of RevisionsOf, without the number of the object and without
// the body.
func ScanRevision(rows *sql.Rows) (r Revision, err error) {
	var version int64
	var deleted int16
	err = rows.Scan(&version, &deleted, &r.Source, &r.SeenAt, &r.State, &r.RawState)
	r.Version, r.Deleted = wire.Version(version), deleted != 0
	return r, err
}

// Candidate is a revision that retention may remove.
type Candidate struct {
	ID, Object    int64
	Version, Base wire.Version
	SeenAt        int64
	Bytes         int64 // of the stored body; 0: there is none
}

func scanCandidate(rows *sql.Rows) (c Candidate, err error) {
	var version, base int64
	err = rows.Scan(&c.ID, &c.Object, &version, &c.SeenAt, &base, &c.Bytes)
	c.Version, c.Base = wire.Version(version), wire.Version(base)
	return c, err
}

// RevisionBounds returns the smallest and the largest row number of all revisions, and
// false if there are none.
func RevisionBounds(ctx context.Context, q sqldb.Querier) (first, last int64, found bool, err error) {
	var low, high sql.NullInt64
	err = q.QueryRow(ctx, "SELECT MIN(id), MAX(id) FROM revisions").Scan(&low, &high)
	return low.Int64, high.Int64, high.Valid, err
}

// OldestSeen returns when the oldest revision was seen of those with row numbers from <=
// id < to, and false if there are none.
func OldestSeen(ctx context.Context, q sqldb.Querier, from, to int64) (int64, bool, error) {
	return maybeNumber(ctx, q, "SELECT MIN(seen_at) FROM revisions WHERE id >= ? AND id < ?", from, to)
}

// Candidates returns revisions with row numbers from <= id < to, in their order, that were
// seen before drop; or, if they have a body, before strip. The last revision of an object
// that is not deleted, and the keyframe of its next differences, are no candidates.
func Candidates(ctx context.Context, q sqldb.Querier, from, to, drop, strip int64) (all []Candidate, err error) {
	err = q.Query(ctx, "SELECT id, object_id, version, seen_at, base, LENGTH(data) FROM revisions r WHERE id >= ? AND id < ?"+
		" AND (seen_at < ? OR (seen_at < ? AND LENGTH(data) > 0)) AND NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = r.object_id AND o.presence <> ?"+
		" AND (o.version = r.version OR o.base = r.version)) ORDER BY id", []any{from, to, drop, strip, int16(Deleted)}, func(rows *sql.Rows) error {
		c, err := scanCandidate(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// CandidatesAt returns the revisions of some objects at some versions.
func CandidatesAt(ctx context.Context, tx *sqldb.Tx, ids []RevisionID) (all []Candidate, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 2*len(ids))
	for _, id := range ids {
		args = append(args, id.Object, int64(id.Version))
	}
	err = tx.Query(ctx, "SELECT id, object_id, version, seen_at, base, LENGTH(data) FROM revisions WHERE (object_id, version) IN "+tx.Pairs(len(ids)), args, func(rows *sql.Rows) error {
		c, err := scanCandidate(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// FirstBaseAfter returns the base of the first difference after a version of an object; 0 if
// there is none.
func FirstBaseAfter(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (wire.Version, error) {
	base, err := oneNumber(ctx, q, "SELECT base FROM revisions WHERE object_id = ? AND version > ? AND base > 0 ORDER BY version LIMIT 1", object, int64(version))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return wire.Version(base), err
}

// OldestOfNewest returns the version of the oldest of the n newest revisions of an object
// that have a body, and false if there are none. A stripped revision counts: its size
// stays.
func OldestOfNewest(ctx context.Context, q sqldb.Querier, object int64, n int) (wire.Version, bool, error) {
	version, found, err := maybeNumber(ctx, q, "SELECT MIN(version) FROM (SELECT version FROM revisions WHERE object_id = ? AND size > 0 ORDER BY version DESC LIMIT ?) newest", object, n)
	return wire.Version(version), found, err
}

// DeleteRevisions deletes rows of revisions, and returns how many.
func DeleteRevisions(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM revisions WHERE id IN ", ids)
}

// StripRevisions removes the bodies of revisions, and returns how many. Their sizes and
// hashes stay.
func StripRevisions(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "UPDATE revisions SET base = 0, dictionary_id = 0, data = ? WHERE id IN ", ids, noData)
}

// BodyBytes returns how many bytes the stored bodies of objects have.
func BodyBytes(ctx context.Context, q sqldb.Querier, objects []int64) (bytes int64, err error) {
	err = queryIn(ctx, q, "SELECT COALESCE(SUM(LENGTH(data)), 0) FROM revisions WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		bytes += n
		return err
	})
	return bytes, err
}

// DeleteRevisionsOf deletes all revisions of objects, and returns how many.
func DeleteRevisionsOf(ctx context.Context, tx *sqldb.Tx, objects []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM revisions WHERE object_id IN ", objects)
}
