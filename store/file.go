package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/framed"
	"github.com/vedette-io/vedette/wire"
)

// The format of the snapshot file is described in docs/formats/snapshot.md.
const (
	fileMagic  = "VEDETTE\x02" // the last byte is the format version
	frameBytes = 256 << 10     // size at which a frame of records is written
	maxFrame   = 64 << 20
	keyBytes   = 32
	saltBytes  = 16
)

// frameFormat is the format of the frames after the magic.
var frameFormat = framed.Format{Order: binary.LittleEndian, Max: maxFrame}

// Kinds of frames, their first byte.
const (
	frameDictionary = 'D'
	frameRecords    = 'R'
	frameEnd        = 'E'
)

// FileError reports why a snapshot file was rejected. The store is unchanged.
type FileError struct{ Reason string }

// Error implements error.
func (e *FileError) Error() string { return "the snapshot file cannot be used: " + e.Reason }

// Identity describes the records of a file as named parts, each with a value. A missing
// part has the empty value.
type Identity map[string]string

// differs describes the differences between the identity of a file and the wanted one. It
// returns "" if they are equal.
func (of Identity) differs(want Identity) string {
	all := maps.Clone(want)
	if all == nil {
		all = Identity{}
	}
	maps.Copy(all, of)
	var parts []string
	for _, part := range slices.Sorted(maps.Keys(all)) {
		if of[part] != want[part] {
			parts = append(parts, fmt.Sprintf("%s %q, want %q", part, of[part], want[part]))
		}
	}
	return strings.Join(parts, "; ")
}

// FileOptions configures WriteFile and Load.
type FileOptions struct {
	// Identity describes the stored records: Load accepts the file only if its own
	// identity is the same.
	Identity Identity
	// Origin returns the origin of the versions of a scope, such as the UID of its
	// cluster. Load passes it to its caller. Default: the origin is unknown.
	Origin func(delta.Scope) string
	// Key encrypts the whole file except its head. It has 32 bytes; nil means no
	// encryption.
	Key []byte
}

// fileHead is the first frame.
type fileHead struct {
	Identity  Identity    `json:"identity"`
	Written   time.Time   `json:"written"`
	Objects   int         `json:"objects"`
	Scopes    []fileScope `json:"scopes"`
	Encrypted bool        `json:"encrypted"`
	Salt      []byte      `json:"salt,omitempty"`
}

type fileScope struct {
	Cluster   string       `json:"cluster,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
	Version   wire.Version `json:"version"`
	Origin    string       `json:"origin,omitempty"`
}

// frameCipher encrypts the frames of one file. Without a key it leaves them unchanged.
type frameCipher struct {
	aead  cipher.AEAD // nil: no encryption
	head  []byte      // hash of the head; authenticated with every frame
	frame uint64
}

func newFrameCipher(key []byte, head *fileHead, headText []byte) (*frameCipher, error) {
	s := &frameCipher{}
	if !head.Encrypted {
		return s, nil
	}
	if len(key) != keyBytes {
		return nil, fmt.Errorf("the key of a snapshot file has %d bytes, want %d", len(key), keyBytes)
	}
	own, err := hkdf.Key(sha256.New, key, head.Salt, "vedette snapshot file", keyBytes)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(headText)
	s.head = sum[:]
	s.aead, err = cipher.NewGCM(block)
	return s, err
}

// nonce returns the number of the frame as a nonce. Every file has its own key, so no
// nonce is used twice.
func (s *frameCipher) nonce() []byte {
	var n [12]byte
	binary.BigEndian.PutUint64(n[4:], s.frame)
	s.frame++
	return n[:]
}

func (s *frameCipher) seal(frame []byte) []byte {
	if s.aead == nil {
		return frame
	}
	return s.aead.Seal(nil, s.nonce(), frame, s.head)
}

func (s *frameCipher) open(frame []byte) ([]byte, error) {
	if s.aead == nil {
		return frame, nil
	}
	return s.aead.Open(frame[:0], s.nonce(), frame, s.head)
}
