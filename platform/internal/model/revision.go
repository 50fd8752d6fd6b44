package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// StoredBody is a body in its stored form: a keyframe, which is complete and may be
// compressed with a dictionary; or a difference from an earlier keyframe of the same
// object.
//
// The zero value is the body of an inferred deletion. A body with a size and without data
// was removed by retention.
type StoredBody struct {
	Hash       [16]byte     // of the content
	Base       wire.Version // of the keyframe; 0: this is a keyframe
	Dictionary int64        // row ID of the dictionary; 0: not compressed
	Size       int          // of the decoded body, in bytes
	Data       []byte
}

// noData is stored for an empty body, because the column does not accept NULL.
var noData = []byte{}

// storedBodyColumns are the columns of a StoredBody.
var storedBodyColumns = []string{"body", "keyframe_version", "dictionary_id", "size", "data"}

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
	Deleted         bool // the object was deleted at this revision or earlier
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

// WithRevisions returns those of some objects that have a revision.
func WithRevisions(ctx context.Context, q sqldb.Querier, objects []int64) (map[int64]bool, error) {
	all := map[int64]bool{}
	err := queryIn(ctx, q, "SELECT DISTINCT object_id FROM revisions WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var object int64
		err := rows.Scan(&object)
		all[object] = true
		return err
	})
	return all, err
}

// HasRevision reports whether a revision is stored.
func HasRevision(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (found bool, err error) {
	err = q.Query(ctx, "SELECT 1 FROM revisions WHERE object_id = ? AND version = ?", []any{object, int64(version)}, func(*sql.Rows) error {
		found = true
		return nil
	})
	return found, err
}

// Content is the content that the server has shown for one version of an object, as far as
// it is stored.
type Content struct {
	Last   wire.Version // version of the last revision with that content, or 0
	Hashes [][16]byte   // of the bodies, in the order of the revisions
	Next   wire.Version // version of the first later revision with another one; 0: none
}

// ReadContent reads the content of an object at a version: the revision with that version,
// and the reshown ones that follow it.
func ReadContent(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (c Content, err error) {
	err = q.Query(ctx, "SELECT version, source, body FROM revisions WHERE object_id = ? AND version >= ? ORDER BY version", []any{object, int64(version)}, func(rows *sql.Rows) error {
		var at int64
		var source Source
		var hash []byte
		if err := rows.Scan(&at, &source, &hash); err != nil {
			return err
		}
		c.Add(version, wire.Version(at), source, [16]byte(hash))
		return nil
	})
	return c, err
}

// Add adds the next revision of the object after those that c has. of is the version whose
// content c is.
func (c *Content) Add(of, at wire.Version, source Source, hash [16]byte) {
	switch {
	case c.Next != 0:
	case at == of || c.Last != 0 && source == Reshown:
		c.Last, c.Hashes = at, append(c.Hashes, hash)
	default:
		c.Next = at
	}
}

// StateBefore returns the state and the raw state of the last revision before a version. It
// returns false if there is no such revision. The state of a revision may be empty.
func StateBefore(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (state, raw string, found bool, err error) {
	err = q.QueryRow(ctx, "SELECT state, raw_state FROM revisions WHERE object_id = ? AND version < ? ORDER BY version DESC LIMIT 1", object, int64(version)).Scan(&state, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", false, nil
	}
	return state, raw, err == nil, err
}

// RevisionAfter returns the first revision after a version, without its body.
//
// Errors: sql.ErrNoRows.
func RevisionAfter(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (Revision, error) {
	r := Revision{ObjectID: object}
	var next int64
	row := q.QueryRow(ctx, "SELECT version, seen_at, source, state, raw_state FROM revisions WHERE object_id = ? AND version > ? ORDER BY version LIMIT 1", object, int64(version))
	err := row.Scan(&next, &r.SeenAt, &r.Source, &r.State, &r.RawState)
	r.Version = wire.Version(next)
	return r, err
}

// DeleteInferredDeletion deletes the revision of an inferred deletion, and reports whether
// it existed.
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

// ReadKeyframes calls each for the keyframes among some revisions.
func ReadKeyframes(ctx context.Context, tx *sqldb.Tx, ids []RevisionID, each func(Keyframe)) error {
	for some := range slices.Chunk(ids, 200) {
		args := make([]any, 0, 2*len(some))
		for _, id := range some {
			args = append(args, id.Object, int64(id.Version))
		}
		query := "SELECT object_id, version, body, dictionary_id, size, data FROM revisions WHERE (object_id, version) IN " + tx.Pairs(len(some)) + " AND keyframe_version = 0"
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

// ReadStoredBody returns the body of a revision in its stored form.
//
// Errors: sql.ErrNoRows.
func ReadStoredBody(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (StoredBody, error) {
	return scanStoredBody(ctx, q, "version = ?", object, version)
}

// ReadStoredBodies calls each for some revisions with their bodies in stored form.
func ReadStoredBodies(ctx context.Context, db *sqldb.DB, ids []RevisionID, each func(RevisionID, StoredBody)) error {
	for some := range slices.Chunk(ids, 200) {
		args := make([]any, 0, 2*len(some))
		for _, id := range some {
			args = append(args, id.Object, int64(id.Version))
		}
		query := "SELECT object_id, version, body, keyframe_version, dictionary_id, size, data FROM revisions WHERE (object_id, version) IN " + db.Pairs(len(some))
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

// ReadStoredBodyBefore returns the body of the last revision before a version in its stored
// form.
//
// Errors: sql.ErrNoRows.
func ReadStoredBodyBefore(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (StoredBody, error) {
	return scanStoredBody(ctx, q, "version < ?", object, version)
}

func scanStoredBody(ctx context.Context, q sqldb.Querier, which string, object int64, version wire.Version) (b StoredBody, err error) {
	var hash []byte
	var base int64
	row := q.QueryRow(ctx, "SELECT body, keyframe_version, dictionary_id, size, data FROM revisions WHERE object_id = ? AND "+which+" ORDER BY version DESC LIMIT 1", object, int64(version))
	if err = row.Scan(&hash, &base, &b.Dictionary, &b.Size, &b.Data); err != nil {
		return b, fmt.Errorf("body of object %d at version %v: %w", object, version, err)
	}
	b.Base = wire.Version(base)
	copy(b.Hash[:], hash)
	return b, nil
}

// IsInferredDeletion reports whether a revision is an inferred deletion.
func IsInferredDeletion(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (bool, error) {
	var deleted int16
	var source Source
	err := q.QueryRow(ctx, "SELECT deleted, source FROM revisions WHERE object_id = ? AND version = ?", object, int64(version)).Scan(&deleted, &source)
	return deleted == 1 && source != Watched, err
}

// FindRevision returns the version of the revision of an object at a version, or of its
// last revision if version is 0.
//
// Errors: sql.ErrNoRows.
func FindRevision(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (wire.Version, error) {
	query, args := "SELECT version FROM revisions WHERE object_id = ? ORDER BY version DESC LIMIT 1", []any{object}
	if version > 0 {
		query, args = "SELECT version FROM revisions WHERE object_id = ? AND version = ?", append(args, int64(version))
	}
	found, err := queryInt(ctx, q, query, args...)
	return wire.Version(found), err
}

// RevisionsOf returns the query for the revisions of an object, ordered by version.
// ScanRevision reads its rows.
func RevisionsOf(object int64) Query {
	return Query{"SELECT version, deleted, source, seen_at, state, raw_state FROM revisions WHERE object_id = ?", []any{object}, "version"}
}

// ScanRevision reads a row of RevisionsOf, without the row ID of the object and without the
// body.
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
	Bytes         int64 // size of the stored body; 0: no body
}

func scanCandidate(rows *sql.Rows) (c Candidate, err error) {
	var version, base int64
	err = rows.Scan(&c.ID, &c.Object, &version, &c.SeenAt, &base, &c.Bytes)
	c.Version, c.Base = wire.Version(version), wire.Version(base)
	return c, err
}

// RevisionBounds returns the smallest and the largest row ID of all revisions. It returns
// false without revisions.
func RevisionBounds(ctx context.Context, q sqldb.Querier) (first, last int64, found bool, err error) {
	var low, high sql.NullInt64
	err = q.QueryRow(ctx, "SELECT MIN(id), MAX(id) FROM revisions").Scan(&low, &high)
	return low.Int64, high.Int64, high.Valid, err
}

// OldestSeen returns the earliest time at which a revision with a row ID in the range from
// <= id < to was seen. It returns false if the range is empty.
func OldestSeen(ctx context.Context, q sqldb.Querier, from, to int64) (int64, bool, error) {
	return queryNullInt(ctx, q, "SELECT MIN(seen_at) FROM revisions WHERE id >= ? AND id < ?", from, to)
}

// Candidates returns the revisions with row IDs in the range from <= id < to, in ascending
// order, that were seen before drop, or that have a body and were seen before strip. It
// omits the last revision of an object that is not deleted, and the keyframe of its next
// differences.
func Candidates(ctx context.Context, q sqldb.Querier, from, to, drop, strip int64) (all []Candidate, err error) {
	err = q.Query(ctx, "SELECT id, object_id, version, seen_at, keyframe_version, LENGTH(data) FROM revisions r WHERE id >= ? AND id < ?"+
		" AND (seen_at < ? OR (seen_at < ? AND LENGTH(data) > 0)) AND NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = r.object_id AND o.presence <> ?"+
		" AND (o.version = r.version OR o.keyframe_version = r.version)) ORDER BY id", []any{from, to, drop, strip, int16(Deleted)}, func(rows *sql.Rows) error {
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
	err = tx.Query(ctx, "SELECT id, object_id, version, seen_at, keyframe_version, LENGTH(data) FROM revisions WHERE (object_id, version) IN "+tx.Pairs(len(ids)), args, func(rows *sql.Rows) error {
		c, err := scanCandidate(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// FirstBaseAfter returns the base of the first difference after a version of an object, or
// 0 if there is none.
func FirstBaseAfter(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (wire.Version, error) {
	base, err := queryInt(ctx, q, "SELECT keyframe_version FROM revisions WHERE object_id = ? AND version > ? AND keyframe_version > 0 ORDER BY version LIMIT 1", object, int64(version))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return wire.Version(base), err
}

// OldestOfNewest returns the version of the oldest of the n newest revisions of an object
// with a body. It returns false if no revision has one. A stripped revision counts, because
// its size remains.
func OldestOfNewest(ctx context.Context, q sqldb.Querier, object int64, n int) (wire.Version, bool, error) {
	version, found, err := queryNullInt(ctx, q, "SELECT MIN(version) FROM (SELECT version FROM revisions WHERE object_id = ? AND size > 0 ORDER BY version DESC LIMIT ?) newest", object, n)
	return wire.Version(version), found, err
}

// DeleteRevisions deletes rows of revisions, and returns the number of deleted rows.
func DeleteRevisions(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM revisions WHERE id IN ", ids)
}

// StripRevisions removes the bodies of revisions, and returns the number of changed rows.
// Sizes and hashes remain.
func StripRevisions(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "UPDATE revisions SET keyframe_version = 0, dictionary_id = 0, data = ? WHERE id IN ", ids, noData)
}

// BodyBytes returns the size of the stored bodies of objects, in bytes.
func BodyBytes(ctx context.Context, q sqldb.Querier, objects []int64) (bytes int64, err error) {
	err = queryIn(ctx, q, "SELECT COALESCE(SUM(LENGTH(data)), 0) FROM revisions WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		bytes += n
		return err
	})
	return bytes, err
}

// DeleteRevisionsOf deletes all revisions of objects, and returns the number of deleted
// rows.
func DeleteRevisionsOf(ctx context.Context, tx *sqldb.Tx, objects []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM revisions WHERE object_id IN ", objects)
}
