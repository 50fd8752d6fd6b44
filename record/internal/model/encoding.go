package model

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/wire"
)

// ErrNoBody is returned for a revision whose body is not stored.
var ErrNoBody = errors.New("retention has removed the content of this revision; its state and its times remain")

// Hash identifies a body by its content: the first half of its SHA-256.
type Hash [16]byte

func hashOf(body []byte) Hash {
	sum := sha256.Sum256(body)
	return Hash(sum[:16])
}

// StoredBody is a body as a revision stores it: as a keyframe, which is complete and may
// be compressed with a dictionary; or as a delta, the difference from an earlier keyframe
// of the same object. Reading a body therefore takes at most two rows.
//
// The zero value is the body of a deletion that was inferred. A body with a size and
// without data was removed by retention.
type StoredBody struct {
	Hash       Hash
	Base       wire.Version // of the keyframe; 0: this is a keyframe
	Dictionary int64        // number of the dictionary; 0: not compressed
	Size       int          // of the decoded body, in bytes
	Data       []byte
}

// noData is stored where there is no body: the column does not take NULL.
var noData = []byte{}

// storedBodyColumns are the columns of revisions that a StoredBody fills.
var storedBodyColumns = []string{"body", "base", "dictionary_id", "size", "data"}

// columns appends the values of storedBodyColumns to a row.
func (b *StoredBody) columns(row []any) []any {
	data := b.Data
	if data == nil {
		data = noData
	}
	return append(row, b.Hash[:], int64(b.Base), b.Dictionary, int64(b.Size), data)
}

// newKeyframe encodes a body as a keyframe. dict may be nil.
func newKeyframe(body []byte, h Hash, dict *Dictionary) StoredBody {
	b := StoredBody{Hash: h, Size: len(body), Data: body}
	if dict != nil {
		if packed := dict.Pack(nil, nil, body); len(packed) < len(body) {
			b.Data, b.Dictionary = packed, dict.ID
		}
	}
	return b
}

// newDelta encodes a body as the difference from the keyframe at a version. It returns
// false if the difference is too large to be worth it.
func newDelta(body, keyframe []byte, h Hash, version wire.Version) (StoredBody, bool) {
	data := wire.Diff(nil, keyframe, body)
	return StoredBody{Hash: h, Base: version, Size: len(body), Data: data}, len(data) <= len(body)/4
}

// decode is the inverse of newKeyframe and newDelta. keyframe is the body at b.Base. It
// does not verify the hash.
func (b *StoredBody) decode(keyframe []byte, dict *Dictionary) ([]byte, error) {
	switch {
	case b.Size > 0 && len(b.Data) == 0:
		return nil, ErrNoBody
	case b.Base != 0:
		return wire.Patch(make([]byte, 0, b.Size), keyframe, b.Data, b.Size)
	case b.Dictionary != 0:
		return dict.Unpack(make([]byte, 0, b.Size), nil, b.Data, b.Size)
	}
	return b.Data, nil
}

// decodeVerified is decode, and verifies the hash.
//
// Errors: ErrNoBody; the body is damaged.
func (b *StoredBody) decodeVerified(keyframe []byte, dict *Dictionary) ([]byte, error) {
	body, err := b.decode(keyframe, dict)
	if err == nil && hashOf(body) != b.Hash {
		err = errors.New("its content has another hash")
	}
	if err != nil && !errors.Is(err, ErrNoBody) {
		err = fmt.Errorf("body %x is damaged in the database: %w", b.Hash, err)
	}
	return body, err
}
