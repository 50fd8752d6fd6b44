package spool

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/filelock"
	"github.com/vedette-io/vedette/internal/framed"
	"github.com/vedette-io/vedette/wire"
)

// Budget is the number of bytes that all spools of a recorder may still use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n bytes.
func NewBudget(n int64) *Budget {
	b := &Budget{}
	b.left.Store(n)
	return b
}

// take reserves n bytes. It returns false if the budget is too small.
func (b *Budget) take(n int64) bool {
	if b.left.Add(-n) < 0 {
		b.left.Add(n)
		return false
	}
	return true
}

// Spool is a file of batches that wait for the database, oldest first. The file outlives
// the process. A spool belongs to one goroutine; Bytes is safe for concurrent use.
type Spool struct {
	file   *os.File
	unlock func() error
	budget *Budget
	oldest int64 // offset of the oldest batch
	end    int64
	size   atomic.Int64 // of the waiting batches, in bytes
}

// ErrFull is returned by Push when the budget is exhausted.
var ErrFull = errors.New("the spill has reached its maximum size")

// format is the format of a spill: each batch is a frame.
var format = framed.Format{Order: binary.BigEndian}

// Open opens the spool with a name, and keeps the batches of a previous process. It removes
// an incomplete batch; the server sends its deltas again.
//
// Errors: another process uses the file; those of the file system.
func Open(dir, name string, b *Budget) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name+".spill"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	unlock, ours, err := filelock.TryData(file.Name())
	switch {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("spill: lock %s: %w", file.Name(), err), file.Close())
	case !ours:
		return nil, errors.Join(fmt.Errorf("spill: %s is in use by another recorder: give each recorder its own directory", file.Name()), file.Close())
	}
	s := &Spool{file: file, unlock: unlock, budget: b}
	for {
		n, _, err := s.read(s.end)
		if err != nil {
			break // the end, or an incomplete batch
		}
		s.end += n
	}
	if err := file.Truncate(s.end); err != nil {
		return nil, errors.Join(fmt.Errorf("spill: %w", err), unlock(), file.Close())
	}
	s.size.Store(s.end)
	b.left.Add(-s.end) // the budget may have been larger before
	return s, nil
}

// read returns the batch at an offset, and its size in the file in bytes.
func (s *Spool) read(at int64) (n int64, payload []byte, err error) {
	payload, err = format.Read(io.NewSectionReader(s.file, at, math.MaxInt64-at))
	return framed.Overhead + int64(len(payload)), payload, err
}

// spilledBatch is the encoded form of a batch.
type spilledBatch struct {
	Middle bool // the batch begins within a list
	Deltas []spilled
}

// spilled is the encoded form of a delta.
type spilled struct {
	Kind            delta.Kind
	Version         wire.Version
	Namespace, Name string
	UID             string
	RecordVersion   wire.Version
	Encoding        wire.Encoding
	Body            []byte
	Seen            time.Time
	Err             string // reason why the object is unusable
	Order           delta.Order
}

// Push appends a batch to the file and syncs the file. middle reports whether the batch
// begins within a list.
//
// Errors: ErrFull; those of the file system. The spool is then unchanged.
func (s *Spool) Push(deltas delta.Batch, middle bool) error {
	all := spilledBatch{middle, make([]spilled, len(deltas))}
	for i := range deltas {
		d := &deltas[i]
		all.Deltas[i] = spilled{d.Kind, d.Version, d.Record.Namespace, d.Record.Name, d.Record.UID, d.Record.Version, d.Record.Encoding, d.Record.Body, d.Seen, "", d.Order}
		if d.Err != nil {
			all.Deltas[i].Err = d.Err.Error()
		}
	}
	var payload, frame bytes.Buffer
	if err := gob.NewEncoder(&payload).Encode(all); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	if err := format.Write(&frame, payload.Bytes()); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	n := int64(frame.Len())
	if !s.budget.take(n) {
		return ErrFull
	}
	_, err := s.file.WriteAt(frame.Bytes(), s.end)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		s.budget.left.Add(n)
		return errors.Join(fmt.Errorf("spill: %w", err), s.file.Truncate(s.end))
	}
	s.end += n
	s.size.Add(n)
	return nil
}

// Bytes returns the size of the waiting batches. It is safe for concurrent use.
func (s *Spool) Bytes() int64 { return s.size.Load() }

// Empty reports whether the spool has no batch.
func (s *Spool) Empty() bool { return s.oldest == s.end }

// Entry is a batch in a spool.
type Entry struct {
	Deltas delta.Batch
	Middle bool  // the batch begins within a list
	size   int64 // in the file, in bytes
}

// First returns the oldest batch. The batch stays in the spool until Drop.
//
// Errors: the file is damaged.
func (s *Spool) First() (Entry, error) {
	n, payload, err := s.read(s.oldest)
	var batch spilledBatch
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(payload)).Decode(&batch)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("spill: %s is damaged at byte %d: %w", s.file.Name(), s.oldest, err)
	}
	w := Entry{Middle: batch.Middle, size: n}
	for _, d := range batch.Deltas {
		rec := wire.Record{Key: wire.Key{Namespace: d.Namespace, Name: d.Name}, UID: d.UID, Version: d.RecordVersion, Encoding: d.Encoding, Body: d.Body}
		back := delta.Delta{Kind: d.Kind, Version: d.Version, Record: rec, Seen: d.Seen, Order: d.Order}
		if d.Err != "" {
			back.Err = errors.New(d.Err)
		}
		w.Deltas = append(w.Deltas, back)
	}
	return w, nil
}

// Drop removes the oldest batch after it was written to the database. The file shrinks only
// when it is empty: after a crash the next process replays some batches, which is
// idempotent.
//
// Errors: those of the file system.
func (s *Spool) Drop(w Entry) error {
	s.oldest += w.size
	s.size.Add(-w.size)
	if !s.Empty() {
		return nil
	}
	return s.Clear()
}

// Clear removes all batches.
func (s *Spool) Clear() error {
	s.budget.left.Add(s.end)
	s.oldest, s.end = 0, 0
	s.size.Store(0)
	if err := s.file.Truncate(0); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	return nil
}

// Close closes the file. Its batches remain on disk.
func (s *Spool) Close() error {
	s.budget.left.Add(s.end)
	return errors.Join(s.unlock(), s.file.Close())
}
