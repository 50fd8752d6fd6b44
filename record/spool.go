package record

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Spill says where deltas wait while the database is away. The zero value spills
// nothing: then the server is read no further once the queue is full, and a database
// that is away for longer than the server remembers (75 seconds of a busy type) costs
// a gap.
type Spill struct {
	// Dir is a folder of this recorder, which is made if it is not there. What is in it
	// outlives the process: whoever starts next with the same folder writes it first.
	Dir string
	// After is how long a batch is tried to be written before it is spilled; default 2
	// seconds.
	After time.Duration
	// MaxBytes bounds all files together; default 1 GiB. Then the server is read no
	// further.
	MaxBytes int64
}

// DefaultSpill is the default of Spill.MaxBytes.
const DefaultSpill = 1 << 30

// budget is what all spools together may still take.
type budget struct{ left atomic.Int64 }

func (b *budget) take(n int64) bool {
	if b.left.Add(-n) < 0 {
		b.left.Add(n)
		return false
	}
	return true
}

// spool is a file of batches that wait for the database, the oldest first. What was
// appended survives the process. It belongs to one goroutine, but for its size.
type spool struct {
	file   *os.File
	budget *budget
	start  int64 // of the oldest batch
	end    int64
	size   atomic.Int64 // of what waits
}

// errFull is returned by append when the bound is reached.
var errFull = errors.New("the spill has reached its bound")

// frame is how much stands before each batch: its length and its checksum.
const frame = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openSpool opens the spool of a name, with what a process before has left in it. What
// was not written whole is cut off: the server is asked for it again.
//
// Errors: another process has it; what the file system says.
func openSpool(dir, name string, b *budget) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name+".spill"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spill: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("spill: %s is used by another recorder; give each a folder of its own", file.Name()), file.Close())
	}
	s := &spool{file: file, budget: b}
	for {
		n, _, err := s.read(s.end)
		if err != nil {
			break // the end, or what was not written whole
		}
		s.end += n
	}
	if err := file.Truncate(s.end); err != nil {
		return nil, errors.Join(fmt.Errorf("spill: %w", err), file.Close())
	}
	s.size.Store(s.end)
	b.left.Add(-s.end) // even if it is more than there may be now
	return s, nil
}

// read reads the batch at an offset, and returns how long it is there.
func (s *spool) read(at int64) (n int64, payload []byte, err error) {
	var head [frame]byte
	if _, err := s.file.ReadAt(head[:], at); err != nil {
		return 0, nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	info, err := s.file.Stat()
	if err != nil {
		return 0, nil, err
	}
	if at+frame+length > info.Size() {
		return 0, nil, io.ErrUnexpectedEOF
	}
	payload = make([]byte, length)
	if _, err := s.file.ReadAt(payload, at+frame); err != nil {
		return 0, nil, err
	}
	if crc32.Checksum(payload, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		return 0, nil, errors.New("a checksum is wrong")
	}
	return frame + length, payload, nil
}

// spilledBatch is a batch in a spool, and in what it begins.
type spilledBatch struct {
	Middle bool // of a list
	Deltas []spilled
}

// spilled is a delta in a spool.
type spilled struct {
	Kind            delta.Kind
	Version         wire.Version
	Namespace, Name string
	UID             string
	RecordVersion   wire.Version
	Encoding        wire.Encoding
	Body            []byte
	Seen            time.Time
	Err             string // of an unusable object
	Order           delta.Order
}

// append adds a batch behind all others, on the disk. middle: it begins within a list.
//
// Errors: errFull, and what the file system says; then it is as if nothing had been
// appended.
func (s *spool) append(items []item, middle bool) error {
	all := spilledBatch{middle, make([]spilled, len(items))}
	for i := range items {
		d := &items[i]
		all.Deltas[i] = spilled{d.Kind, d.Version, d.Record.Namespace, d.Record.Name, d.Record.UID, d.Record.Version, d.Record.Encoding, d.Record.Body, d.Seen, "", d.Order}
		if d.Err != nil {
			all.Deltas[i].Err = d.Err.Error()
		}
	}
	var text bytes.Buffer
	text.Write(make([]byte, frame))
	if err := gob.NewEncoder(&text).Encode(all); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	out := text.Bytes()
	binary.BigEndian.PutUint32(out, uint32(len(out)-frame))
	binary.BigEndian.PutUint32(out[4:], crc32.Checksum(out[frame:], castagnoli))
	n := int64(len(out))
	if !s.budget.take(n) {
		return errFull
	}
	_, err := s.file.WriteAt(out, s.end)
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

// empty reports whether nothing waits.
func (s *spool) empty() bool { return s.start == s.end }

// waiting is the oldest batch of a spool.
type waiting struct {
	items  []item
	middle bool // it begins within a list
	size   int64
}

// first returns the oldest batch, which stays there until it is dropped.
//
// Errors: it is damaged.
func (s *spool) first() (waiting, error) {
	n, payload, err := s.read(s.start)
	var batch spilledBatch
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(payload)).Decode(&batch)
	}
	if err != nil {
		return waiting{}, fmt.Errorf("spill: %s is damaged at byte %d: %w", s.file.Name(), s.start, err)
	}
	w := waiting{middle: batch.Middle, size: n}
	for _, d := range batch.Deltas {
		rec := wire.Record{Key: wire.Key{Namespace: d.Namespace, Name: d.Name}, UID: d.UID, Version: d.RecordVersion, Encoding: d.Encoding, Body: d.Body}
		back := delta.Delta{Kind: d.Kind, Version: d.Version, Record: rec, Seen: d.Seen, Order: d.Order}
		if d.Err != "" {
			back.Err = errors.New(d.Err)
		}
		w.items = append(w.items, item{Delta: back})
	}
	return w, nil
}

// drop removes the oldest batch, which was written. The space is given back when
// nothing waits any more: who dies before writes some again, which changes nothing.
//
// Errors: what the file system says.
func (s *spool) drop(w waiting) error {
	s.start += w.size
	s.size.Add(-w.size)
	if !s.empty() {
		return nil
	}
	return s.clear()
}

// clear removes all that waits.
func (s *spool) clear() error {
	s.budget.left.Add(s.end)
	s.start, s.end = 0, 0
	s.size.Store(0)
	if err := s.file.Truncate(0); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	return nil
}

// close closes the file. What waits stays in it.
func (s *spool) close() error {
	s.budget.left.Add(s.end)
	return s.file.Close()
}
