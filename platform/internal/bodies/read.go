package bodies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Reader reads bodies. It caches dictionaries, which never change. The zero value is ready
// for use with one database. A Reader is safe for concurrent use.
type Reader struct {
	mu           sync.Mutex
	dictionaries map[int64]*dictionary
}

// errRetired means that the dictionary of a body was removed after the body was read.
var errRetired = errors.New("the dictionary of the body was removed while the body was read; read it again")

// maxDictionaries is the maximum number of dictionaries that a reader caches. A dictionary
// takes about 100 KB.
const maxDictionaries = 64

// Read returns the body of an object at a recorded version. For an inferred deletion it
// returns the body of the previous revision.
//
// Read needs no transaction: a stored body never changes, and a keyframe is removed after
// the differences from it. If retention removes the body during the call, Read returns
// ErrNoBody.
//
// Errors: ErrNoBody; the body is damaged.
func (r *Reader) Read(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) ([]byte, error) {
	body, err := r.read(ctx, q, object, version)
	if errors.Is(err, errRetired) { // the body has another dictionary now
		body, err = r.read(ctx, q, object, version)
	}
	return body, err
}

func (r *Reader) read(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) ([]byte, error) {
	stored, err := readStored(ctx, q, object, version)
	if err == nil && stored.Size == 0 {
		var inferred bool
		if inferred, err = model.IsInferredDeletion(ctx, q, object, version); inferred {
			stored, err = model.ReadStoredBodyBefore(ctx, q, object, version)
			err = missing(err)
		}
	}
	if err == nil && stored.Size == 0 {
		err = ErrNoBody
	}
	if err != nil {
		return nil, err
	}
	if stored.Base == 0 {
		return r.readKeyframe(ctx, q, stored)
	}
	base, err := readStored(ctx, q, object, stored.Base)
	if err != nil {
		return nil, err
	}
	if base.Base != 0 {
		return nil, fmt.Errorf("body %x is damaged in the database: its base, version %d, is not a keyframe", stored.Hash, stored.Base)
	}
	keyframe, err := r.readKeyframe(ctx, q, base)
	if err != nil {
		return nil, err
	}
	return decodeVerified(&stored, keyframe, nil)
}

// ReadMany returns the bodies of objects at recorded versions, by object, with a few
// queries. It omits bodies for which Read would return ErrNoBody.
//
// Errors: a body is damaged.
func (r *Reader) ReadMany(ctx context.Context, db *sqldb.DB, ids []model.RevisionID) (map[int64][]byte, error) {
	all, stored, bases := map[int64][]byte{}, map[int64]model.StoredBody{}, map[int64]model.StoredBody{}
	keep := func(into map[int64]model.StoredBody) func(model.RevisionID, model.StoredBody) {
		return func(id model.RevisionID, b model.StoredBody) {
			b.Data = slices.Clone(b.Data)
			into[id.Object] = b
		}
	}
	if err := model.ReadStoredBodies(ctx, db, ids, keep(stored)); err != nil {
		return nil, err
	}
	var needed []model.RevisionID
	for _, id := range ids {
		if b := stored[id.Object]; b.Base != 0 {
			needed = append(needed, model.RevisionID{Object: id.Object, Version: b.Base})
		}
	}
	if err := model.ReadStoredBodies(ctx, db, needed, keep(bases)); err != nil {
		return nil, err
	}
	for _, id := range ids {
		b, base := stored[id.Object], bases[id.Object]
		var body []byte
		var err error
		switch {
		case b.Size == 0 || b.Base != 0 && base.Base != 0: // an inferred deletion, or damage
			body, err = r.Read(ctx, db, id.Object, id.Version)
		case b.Base == 0:
			body, err = r.readKeyframe(ctx, db, b)
		case base.Size == 0:
			err = ErrNoBody // removed in the meantime
		default:
			if body, err = r.readKeyframe(ctx, db, base); err == nil {
				body, err = decodeVerified(&b, body, nil)
			}
		}
		if errors.Is(err, errRetired) {
			body, err = r.Read(ctx, db, id.Object, id.Version)
		}
		switch {
		case err == nil:
			all[id.Object] = body
		case !errors.Is(err, ErrNoBody):
			return nil, err
		}
	}
	return all, nil
}

// readKeyframe decodes a keyframe.
func (r *Reader) readKeyframe(ctx context.Context, q sqldb.Querier, stored model.StoredBody) ([]byte, error) {
	if stored.Dictionary == 0 {
		return decodeVerified(&stored, nil, nil)
	}
	dict, err := r.dictionary(ctx, q, stored.Dictionary)
	if err != nil {
		return nil, err
	}
	return decodeVerified(&stored, nil, dict)
}

// dictionary returns the dictionary with an ID.
func (r *Reader) dictionary(ctx context.Context, q sqldb.Querier, id int64) (*dictionary, error) {
	r.mu.Lock()
	found := r.dictionaries[id]
	r.mu.Unlock()
	if found != nil {
		return found, nil
	}
	stored, err := model.ReadDictionary(ctx, q, id)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %w", errRetired, err)
	}
	if err != nil {
		return nil, err
	}
	found = newDictionary(stored)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dictionaries == nil || len(r.dictionaries) >= maxDictionaries {
		r.dictionaries = map[int64]*dictionary{}
	}
	r.dictionaries[id] = found
	return found, nil
}

// readStored returns a body in its stored form.
func readStored(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (model.StoredBody, error) {
	stored, err := model.ReadStoredBody(ctx, q, object, version)
	return stored, missing(err)
}

// missing returns ErrNoBody for a revision without a row: the caller has seen the revision,
// so retention has deleted it since.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoBody
	}
	return err
}
