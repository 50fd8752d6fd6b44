package store

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// The snapshot file; docs/formats/snapshot.md is its description.
const (
	fileMagic   = "VEDETTE\x01" // the last byte is the version of the format
	frameBytes  = 256 << 10     // where a frame of records ends
	maxFrame    = 64 << 20
	keyBytes    = 32
	saltBytes   = 16
	frameHeader = 8 // length and CRC
)

// Kinds of frames, their first byte.
const (
	frameDictionary = 'D'
	frameRecords    = 'R'
	frameEnd        = 'E'
)

// FileError says why a snapshot file can not be used. The store is as it was.
type FileError struct{ Reason string }

// Error implements error.
func (e *FileError) Error() string { return "the snapshot file can not be used: " + e.Reason }

// FileOptions say what a snapshot file is of, and whether it is secret.
type FileOptions struct {
	// Identity says what was stored: the file is only taken by one who names the
	// same. It may have any form.
	Identity string
	// Key encrypts all of the file but its head: 32 bytes, or nil for none.
	Key []byte
}

// fileHead is the first frame.
type fileHead struct {
	Identity  string      `json:"identity"`
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
}

// seal encrypts the frames of one file, or leaves them as they are.
type seal struct {
	aead  cipher.AEAD // nil: none
	head  []byte      // what all frames are bound to
	frame uint64
}

func newSeal(key []byte, head *fileHead, headText []byte) (*seal, error) {
	s := &seal{}
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

// nonce is the number of the frame: the key is the file's own, so it is never
// used twice.
func (s *seal) nonce() []byte {
	var n [12]byte
	binary.BigEndian.PutUint64(n[4:], s.frame)
	s.frame++
	return n[:]
}

func (s *seal) close(frame []byte) []byte {
	if s.aead == nil {
		return frame
	}
	return s.aead.Seal(nil, s.nonce(), frame, s.head)
}

func (s *seal) open(frame []byte) ([]byte, error) {
	if s.aead == nil {
		return frame, nil
	}
	return s.aead.Open(frame[:0], s.nonce(), frame, s.head)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func writeFrame(w io.Writer, frame []byte) error {
	var head [frameHeader]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(frame)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(frame, castagnoli))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(frame)
	return err
}

// WriteFile writes the snapshot, as packed as it is held: Load restores it. It
// reads only what never changes, on the caller's goroutine.
//
// Errors: those of w; a key of the wrong length; a snapshot that is not synced,
// since nothing could be resumed from it.
func (s *Snapshot) WriteFile(w io.Writer, opts FileOptions) error {
	if !s.synced {
		return errors.New("there is nothing to write: the first list is not complete")
	}
	head := fileHead{Identity: opts.Identity, Written: time.Now().UTC(), Objects: s.Len(), Encrypted: opts.Key != nil}
	for _, r := range s.scopes {
		head.Scopes = append(head.Scopes, fileScope{r.scope.Cluster, r.scope.Namespace, r.version})
	}
	if head.Encrypted {
		head.Salt = make([]byte, saltBytes)
		rand.Read(head.Salt)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	sealed, err := newSeal(opts.Key, &head, text)
	if err != nil {
		return err
	}
	out := fileWriter{w: bufio.NewWriterSize(w, 1<<20), seal: sealed, dicts: map[*wire.Dictionary]uint64{nil: 0}, frame: []byte{frameRecords}}
	if _, err := out.w.WriteString(fileMagic); err != nil {
		return err
	}
	if err := writeFrame(out.w, text); err != nil {
		return err
	}
	for e := range s.All() {
		if err := out.record(e); err != nil {
			return err
		}
	}
	return out.end(head.Objects)
}

// fileWriter collects records into frames.
type fileWriter struct {
	w     *bufio.Writer
	seal  *seal
	dicts map[*wire.Dictionary]uint64
	frame []byte
}

func (f *fileWriter) record(e Entry) error {
	dict, known := f.dicts[e.slab.dict]
	if !known {
		dict = uint64(len(f.dicts))
		f.dicts[e.slab.dict] = dict
		if err := f.flush(); err != nil {
			return err
		}
		if err := writeFrame(f.w, f.seal.close(append([]byte{frameDictionary}, e.slab.dict.Text()...))); err != nil {
			return err
		}
	}
	rest, flags := e.bytes()
	h := e.header()
	body := skipColumns(h.rest, e.slab.columns)
	names := rest[:len(rest)-len(h.rest)]
	f.frame = binary.AppendUvarint(f.frame, dict)
	f.frame = append(f.frame, flags)
	f.frame = binary.AppendUvarint(f.frame, uint64(len(names)+len(body)))
	f.frame = append(append(f.frame, names...), body...)
	if len(f.frame) >= frameBytes {
		return f.flush()
	}
	return nil
}

func (f *fileWriter) flush() error {
	if len(f.frame) == 1 {
		return nil
	}
	err := writeFrame(f.w, f.seal.close(f.frame))
	f.frame = f.frame[:1]
	return err
}

func (f *fileWriter) end(objects int) error {
	if err := f.flush(); err != nil {
		return err
	}
	frame := binary.AppendUvarint([]byte{frameEnd}, uint64(objects))
	if err := writeFrame(f.w, f.seal.close(frame)); err != nil {
		return err
	}
	return f.w.Flush()
}

// Load fills an empty store from a snapshot file. Scopes of the file that follows
// are left out: the store then is as if these lists had just come. It is called
// before the first Apply.
//
// Errors: a *FileError for a file that is damaged, of another version, or of
// something else; the store stays empty then. Errors of r.
func (s *Store) Load(r io.Reader, opts FileOptions, follows func(delta.Scope) bool) error {
	in := fileReader{r: bufio.NewReaderSize(r, 1<<20), dicts: []*wire.Dictionary{nil}}
	if err := in.begin(opts); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.objects.Len() > 0 || len(s.changes) > 0 {
		return errors.New("only an empty store can be loaded")
	}
	if err := in.records(s, follows); err != nil {
		s.arena = arena{columns: len(s.extracts)}
		s.live.reset()
		s.changes = nil
		return err
	}
	for _, fs := range in.head.Scopes {
		name := delta.Scope{Cluster: fs.Cluster, Namespace: fs.Namespace}
		if follows(name) {
			c := s.scope(name)
			c.version, c.listed = fs.Version, true
		}
	}
	if in.raw > 0 {
		s.arena.promised = float64(in.packed) / float64(in.raw)
	}
	s.moved = true
	s.publish()
	return nil
}

// fileReader reads what fileWriter wrote.
type fileReader struct {
	r     *bufio.Reader
	seal  *seal
	head  fileHead
	dicts []*wire.Dictionary

	raw, packed int // bytes of all bodies
}

// begin reads and checks the head.
func (f *fileReader) begin(opts FileOptions) error {
	magic := make([]byte, len(fileMagic))
	if _, err := io.ReadFull(f.r, magic); err != nil {
		return f.short(err)
	}
	last := len(fileMagic) - 1
	switch {
	case string(magic[:last]) != fileMagic[:last]:
		return &FileError{"it is not a snapshot file"}
	case magic[last] != fileMagic[last]:
		return &FileError{fmt.Sprintf("its format is version %d, this program reads version %d", magic[last], fileMagic[last])}
	}
	text, err := f.frame()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.head); err != nil {
		return &FileError{"its head is damaged: " + err.Error()}
	}
	switch {
	case f.head.Identity != opts.Identity:
		return &FileError{fmt.Sprintf("it is of %q, want %q", f.head.Identity, opts.Identity)}
	case f.head.Encrypted && opts.Key == nil:
		return &FileError{"it is encrypted, and there is no key"}
	case !f.head.Encrypted && opts.Key != nil:
		return &FileError{"it is not encrypted, though there is a key"}
	}
	f.seal, err = newSeal(opts.Key, &f.head, text)
	return err
}

// short makes an early end a damaged file.
func (f *fileReader) short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FileError{"it ends too early"}
	}
	return err
}

// frame reads a frame and checks its sum.
func (f *fileReader) frame() ([]byte, error) {
	var head [frameHeader]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return nil, f.short(err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > maxFrame {
		return nil, &FileError{fmt.Sprintf("a part of it claims to have %d bytes", n)}
	}
	var frame bytes.Buffer // grows with what comes, not with what is claimed
	if _, err := io.CopyN(&frame, f.r, int64(n)); err != nil {
		return nil, f.short(err)
	}
	if crc32.Checksum(frame.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, &FileError{"a checksum is wrong"}
	}
	return frame.Bytes(), nil
}

// records reads all objects into the store.
func (f *fileReader) records(s *Store, follows func(delta.Scope) bool) error {
	wanted := map[delta.Scope]bool{}
	for _, fs := range f.head.Scopes {
		scope := delta.Scope{Cluster: fs.Cluster, Namespace: fs.Namespace}
		wanted[scope] = follows(scope)
	}
	count := 0
	for {
		frame, err := f.frame()
		if err != nil {
			return err
		}
		if frame, err = f.seal.open(frame); err != nil || len(frame) == 0 {
			return &FileError{"a part of it can not be decrypted: the key is another, or it was changed"}
		}
		body := frame[1:]
		switch frame[0] {
		case frameDictionary:
			f.dicts = append(f.dicts, wire.NewDictionary(body))
		case frameRecords:
			n, err := f.load(s, body, wanted)
			if err != nil {
				return err
			}
			count += n
		case frameEnd:
			if want, _ := binary.Uvarint(body); int(want) != count || count != f.head.Objects {
				return &FileError{fmt.Sprintf("it has %d objects, and should have %d", count, f.head.Objects)}
			}
			return nil
		default:
			return &FileError{fmt.Sprintf("it has a part of unknown kind %q", frame[0])}
		}
	}
}

var errRecord = &FileError{"a record in it is damaged"}

// load stores the records of a frame, and returns how many there were.
func (f *fileReader) load(s *Store, b []byte, wanted map[delta.Scope]bool) (int, error) {
	n := 0
	for len(b) > 0 {
		dict, size := binary.Uvarint(b)
		if size <= 0 || dict >= uint64(len(f.dicts)) || len(b) < size+1 {
			return n, errRecord
		}
		b = b[size:]
		length, size := binary.Uvarint(b[1:])
		if size <= 0 || length > uint64(len(b)-1-size) {
			return n, errRecord
		}
		end := 1 + size + int(length)
		if !sound(b[1+size:end], b[0]&flagPacked != 0) {
			return n, errRecord
		}
		e := Entry{slab: &slab{buf: b[:end:end], dict: f.dicts[dict]}}
		if key := e.Key(); wanted[delta.Scope{Cluster: key.Cluster}] || wanted[delta.Scope{Cluster: key.Cluster, Namespace: key.Namespace}] {
			s.restore(e)
			f.raw += e.Len()
			f.packed += e.length()
		}
		b = b[end:]
		n++
	}
	return n, nil
}

// sound checks the layout of a record without columns, so that nothing that
// reads it later goes beyond its end.
func sound(b []byte, packed bool) bool {
	names := uint64(0)
	for range 4 {
		length, size := binary.Uvarint(b)
		if size <= 0 || length > uint64(len(b)) {
			return false
		}
		names += length
		b = b[size:]
	}
	if names > uint64(len(b)) {
		return false
	}
	b = b[names:]
	_, size := binary.Uvarint(b) // the version
	if size <= 0 {
		return false
	}
	b = b[size:]
	raw, size := binary.Uvarint(b)
	if size <= 0 || raw > maxFrame {
		return false
	}
	return packed || int(raw) == len(b)-size
}

// restore stores an entry of a file.
func (s *Store) restore(e Entry) {
	a := &s.arena
	if a.dict == nil && e.slab.dict != nil {
		a.adopt(e.slab.dict, worthwhile)
		a.dicts = append(a.dicts, a.dict)
	}
	kept := s.rewrite(e)
	s.live.put(kept)
	s.changes = append(s.changes, Change{Kind: Added, Cause: Initial, New: kept})
}
