// Package framed reads and writes files of frames with checksums.
//
// # Data flow
//
//	payload -> Write -> length, checksum, payload -> Read -> payload
//
// # Ownership
//
// A Format is a value. Readers and writers belong to the caller.
//
// # Guarantees
//
// Read returns exactly the payloads that were written, or an error. It allocates no more
// memory than the file has bytes, whatever a damaged header claims.
//
// # Limits
//
// A payload has at least one byte, because eight zero bytes, which a crash may leave at the
// end of a file, would be a valid frame without a payload. It has less than 4 GiB.
//
// # Errors
//
// A DamageError if the file is damaged or cut off. Errors of the reader or writer.
package framed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Overhead is the number of bytes of a frame in addition to its payload: 4 for the length
// of the payload, and 4 for its CRC-32C.
const Overhead = 8

// Format describes the frames of a file.
type Format struct {
	// Order is the byte order of the headers.
	Order binary.ByteOrder
	// Max is the maximum length of a payload in bytes; 0 means 4 GiB - 1.
	Max int64
}

// DamageError is the reason why a frame cannot be read.
type DamageError struct{ Reason string }

// Error implements error.
func (e *DamageError) Error() string { return e.Reason }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// allowed reports whether a payload may have the given length.
func (f Format) allowed(length int64) bool {
	return length > 0 && length <= math.MaxUint32 && (f.Max == 0 || length <= f.Max)
}

// Write writes a frame.
//
// Errors: a payload that is empty or too long; those of the writer, which may then have
// part of the frame.
func (f Format) Write(w io.Writer, payload []byte) error {
	if !f.allowed(int64(len(payload))) {
		return fmt.Errorf("a frame cannot have %d bytes", len(payload))
	}
	var head [Overhead]byte
	f.Order.PutUint32(head[:], uint32(len(payload)))
	f.Order.PutUint32(head[4:], crc32.Checksum(payload, castagnoli))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// Read reads a frame, and returns its payload.
//
// Errors: io.EOF if the file ends before the frame; a DamageError; those of the reader.
func (f Format) Read(r io.Reader) ([]byte, error) {
	var head [Overhead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, cut(err, io.ErrUnexpectedEOF)
	}
	length := int64(f.Order.Uint32(head[:]))
	if !f.allowed(length) {
		return nil, &DamageError{fmt.Sprintf("a frame claims to have %d bytes", length)}
	}
	var payload bytes.Buffer // grows with the bytes that arrive, not to the length that the header claims
	if _, err := io.CopyN(&payload, r, length); err != nil {
		return nil, cut(err, io.EOF)
	}
	if crc32.Checksum(payload.Bytes(), castagnoli) != f.Order.Uint32(head[4:]) {
		return nil, &DamageError{"a checksum is wrong"}
	}
	return payload.Bytes(), nil
}

// cut converts the error of a reader that ends within a frame to a DamageError.
func cut(err, end error) error {
	if errors.Is(err, end) {
		return &DamageError{"it ends too early"}
	}
	return err
}
