package model

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// ReadBody returns the body of an object at a version that is recorded. For a deletion
// that was inferred it returns the body of the revision before.
//
// Errors: ErrNoBody; the body is damaged.
func ReadBody(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) ([]byte, error) {
	stored, err := storedBodyAt(ctx, q, object, version)
	if err == nil && stored.Size == 0 {
		var inferred bool
		if inferred, err = isInferredDeletion(ctx, q, object, version); inferred {
			stored, err = storedBodyBefore(ctx, q, object, version)
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
	base, err := storedBodyAt(ctx, q, object, stored.Base)
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
	return stored.decodeVerified(keyframe, nil)
}

// readKeyframe decodes a keyframe.
func readKeyframe(ctx context.Context, q sqldb.Querier, stored StoredBody) ([]byte, error) {
	if stored.Dictionary == 0 {
		return stored.decodeVerified(nil, nil)
	}
	dict, err := ReadDictionary(ctx, q, stored.Dictionary)
	if err != nil {
		return nil, err
	}
	return stored.decodeVerified(nil, dict)
}
