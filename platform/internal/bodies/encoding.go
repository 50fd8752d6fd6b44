package bodies

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// ErrNoBody is returned for a revision whose body is not stored.
var ErrNoBody = errors.New("the content of this revision is not stored, because retention has removed it or the database refused it; its state and its times remain")

// hash identifies a body: the first half of the SHA-256 of its content.
type hash = [16]byte

// HashOf returns the hash of a body.
func HashOf(body []byte) hash {
	sum := sha256.Sum256(body)
	return hash(sum[:16])
}

// Without returns the stored form of a body whose data is left out.
func Without(body []byte) model.StoredBody {
	return model.StoredBody{Hash: HashOf(body), Size: len(body)}
}

// newKeyframe encodes a body as a keyframe. dict may be nil.
func newKeyframe(body []byte, h hash, dict *dictionary) model.StoredBody {
	b := model.StoredBody{Hash: h, Size: len(body), Data: body}
	if dict != nil {
		if packed := dict.Pack(nil, nil, body); len(packed) < len(body) {
			b.Data, b.Dictionary = packed, dict.id
		}
	}
	return b
}

// newDifference encodes a body as the difference from the keyframe at a version. It returns
// false if the difference is too large to save space.
func newDifference(body, keyframe []byte, h hash, version wire.Version) (model.StoredBody, bool) {
	data := pack.Diff(nil, keyframe, body)
	return model.StoredBody{Hash: h, Base: version, Size: len(body), Data: data}, len(data) <= len(body)/4
}

// decode is the inverse of newKeyframe and newDifference. keyframe is the body at b.Base.
// decode does not verify the hash.
func decode(b *model.StoredBody, keyframe []byte, dict *dictionary) ([]byte, error) {
	switch {
	case b.Size > 0 && len(b.Data) == 0:
		return nil, ErrNoBody
	case b.Base != 0:
		return pack.Patch(make([]byte, 0, b.Size), keyframe, b.Data, b.Size)
	case b.Dictionary != 0:
		return dict.Unpack(make([]byte, 0, b.Size), nil, b.Data, b.Size)
	}
	return b.Data, nil
}

// decodeVerified is like decode, and verifies the hash.
//
// Errors: ErrNoBody; the body is damaged.
func decodeVerified(b *model.StoredBody, keyframe []byte, dict *dictionary) ([]byte, error) {
	body, err := decode(b, keyframe, dict)
	if err == nil && HashOf(body) != b.Hash {
		err = errors.New("the hash of its content differs")
	}
	if err != nil && !errors.Is(err, ErrNoBody) {
		err = fmt.Errorf("body %x is damaged in the database: %w", b.Hash, err)
	}
	return body, err
}
