package bodies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Reader reads bodies. It remembers dictionaries, which never change. The zero value is ready
// for use, with one database, by any goroutine.
type Reader struct {
	mu           sync.Mutex
	dictionaries map[int64]*dictionary
}

// maxDictionaries bounds what a reader remembers. A dictionary takes about 100 KB.
const maxDictionaries = 64

// Read returns the body of an object at a version that is recorded. For a deletion
// that was inferred it returns the body of the revision before.
//
// It needs no transaction: a stored body never changes, and a keyframe is removed after the
// differences from it. A body that retention removes meanwhile is an ErrNoBody.
//
// Errors: ErrNoBody; the body is damaged.
func (r *Reader) Read(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) ([]byte, error) {
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

// dictionary returns a dictionary by its number.
func (r *Reader) dictionary(ctx context.Context, q sqldb.Querier, id int64) (*dictionary, error) {
	r.mu.Lock()
	found := r.dictionaries[id]
	r.mu.Unlock()
	if found != nil {
		return found, nil
	}
	stored, err := model.ReadDictionary(ctx, q, id)
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

// readStored returns a body as it is stored.
func readStored(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (model.StoredBody, error) {
	stored, err := model.ReadStoredBody(ctx, q, object, version)
	return stored, missing(err)
}

// missing returns ErrNoBody for a revision that does not exist: the caller has seen it, so
// retention has deleted it since.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoBody
	}
	return err
}
