package bodies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Read returns the body of an object at a version that is recorded. For a deletion
// that was inferred it returns the body of the revision before.
//
// Errors: ErrNoBody; the body is damaged.
func Read(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) ([]byte, error) {
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
		return readKeyframe(ctx, q, stored)
	}
	base, err := readStored(ctx, q, object, stored.Base)
	if err != nil {
		return nil, err
	}
	if base.Base != 0 {
		return nil, fmt.Errorf("body %x is damaged in the database: its base, version %d, is not a keyframe", stored.Hash, stored.Base)
	}
	keyframe, err := readKeyframe(ctx, q, base)
	if err != nil {
		return nil, err
	}
	return decodeVerified(&stored, keyframe, nil)
}

// readKeyframe decodes a keyframe.
func readKeyframe(ctx context.Context, q sqldb.Querier, stored model.StoredBody) ([]byte, error) {
	if stored.Dictionary == 0 {
		return decodeVerified(&stored, nil, nil)
	}
	dict, err := model.ReadDictionary(ctx, q, stored.Dictionary)
	if err != nil {
		return nil, err
	}
	return decodeVerified(&stored, nil, newDictionary(dict))
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
