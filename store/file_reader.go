package store

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/framed"
	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/wire"
)

// Load fills an empty store from a snapshot file, as if its lists had just arrived. It
// takes the scopes of the file for which follows returns true. follows receives the
// origin of the scope (see FileOptions) and may be called more than once for a scope.
// Load must be called before the first Apply.
//
// Errors: a *FileError for a file that is damaged, has another version, or holds other
// records; the store stays empty then. Errors of r.
func (s *Store) Load(r io.Reader, opts FileOptions, follows func(scope delta.Scope, origin string) bool) error {
	in := fileReader{r: bufio.NewReaderSize(r, 1<<20), dicts: []*pack.Dictionary{nil}}
	if err := in.begin(opts); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live.objects.Len() > 0 || len(s.changes) > 0 {
		return errors.New("only an empty store can be loaded")
	}
	if err := in.records(s, follows); err != nil {
		s.arena = arena{columns: len(s.extracts), sums: s.arena.sums}
		s.live.reset()
		s.changes = nil
		return err
	}
	for _, fs := range in.head.Scopes {
		name := delta.Scope{Cluster: fs.Cluster, Namespace: fs.Namespace}
		if follows(name, fs.Origin) {
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

// fileReader reads a file of fileWriter.
type fileReader struct {
	r      *bufio.Reader
	cipher *frameCipher
	head   fileHead
	dicts  []*pack.Dictionary

	raw, packed int // total size of all bodies
}

// begin reads and checks the head.
func (f *fileReader) begin(opts FileOptions) error {
	magic := make([]byte, len(fileMagic))
	if _, err := io.ReadFull(f.r, magic); err != nil {
		return f.truncated(err)
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
	case f.head.Identity.differs(opts.Identity) != "":
		return &FileError{"it was written with " + f.head.Identity.differs(opts.Identity)}
	case f.head.Encrypted && opts.Key == nil:
		return &FileError{"it is encrypted, but no key is set"}
	case !f.head.Encrypted && opts.Key != nil:
		return &FileError{"it is not encrypted, but a key is set"}
	}
	f.cipher, err = newFrameCipher(opts.Key, &f.head, text)
	return err
}

// truncated turns an early end of the file into a FileError.
func (f *fileReader) truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FileError{"it ends too early"}
	}
	return err
}

// frame reads a frame.
func (f *fileReader) frame() ([]byte, error) {
	payload, err := frameFormat.Read(f.r)
	if damage := (*framed.DamageError)(nil); errors.As(err, &damage) {
		return nil, &FileError{damage.Reason}
	}
	return payload, f.truncated(err)
}

// records reads all objects into the store.
func (f *fileReader) records(s *Store, follows func(scope delta.Scope, origin string) bool) error {
	wanted := map[delta.Scope]bool{}
	for _, fs := range f.head.Scopes {
		scope := delta.Scope{Cluster: fs.Cluster, Namespace: fs.Namespace}
		wanted[scope] = follows(scope, fs.Origin)
	}
	count := 0
	for {
		frame, err := f.frame()
		if err != nil {
			return err
		}
		if frame, err = f.cipher.open(frame); err != nil || len(frame) == 0 {
			return &FileError{"a frame cannot be decrypted: the key is wrong or the file was modified"}
		}
		body := frame[1:]
		switch frame[0] {
		case frameDictionary:
			f.dicts = append(f.dicts, pack.NewDictionary(body))
		case frameRecords:
			n, err := f.load(s, body, wanted)
			if err != nil {
				return err
			}
			count += n
		case frameEnd:
			if want, _ := binary.Uvarint(body); int(want) != count || count != f.head.Objects {
				return &FileError{fmt.Sprintf("it has %d objects, want %d", count, f.head.Objects)}
			}
			return nil
		default:
			return &FileError{fmt.Sprintf("it has a frame of unknown kind %q", frame[0])}
		}
	}
}

var errRecord = &FileError{"a record in it is damaged"}

// load stores the records of a frame and returns their number.
func (f *fileReader) load(s *Store, b []byte, wanted map[delta.Scope]bool) (int, error) {
	n := 0
	for len(b) > 0 {
		dict, size := binary.Uvarint(b)
		if size <= 0 || dict >= uint64(len(f.dicts)) || len(b) < size+1 {
			return n, errRecord
		}
		b = b[size:]
		if b[0]&sumFlag != 0 {
			return n, errRecord // the writer writes no sums
		}
		if encoding := wire.Encoding(b[0] & encodingMask); !readable(encoding) {
			return n, &FileError{fmt.Sprintf("a record in it has the unknown encoding %d; a newer version may have written the file", encoding)}
		}
		length, size := binary.Uvarint(b[1:])
		if size <= 0 || length > uint64(len(b)-1-size) {
			return n, errRecord
		}
		end := 1 + size + int(length)
		if !valid(b[1+size:end], bodyFormat(b[0]>>formatShift&formatMask)) {
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

// readable reports whether package wire can decode an encoding. Load must refuse all
// others, because their objects would be stored and then be unusable.
func readable(e wire.Encoding) bool {
	switch e {
	case wire.JSON, wire.Protobuf, wire.CBOR:
		return true
	}
	return false
}

// valid checks the layout of a record without columns. Later reads rely on it to stay
// within the record.
func valid(b []byte, how bodyFormat) bool {
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
	return how == formatDictionary || how == formatS2 || how == formatPlain && int(raw) == len(b)-size
}

// restore stores an entry of a file.
func (s *Store) restore(e Entry) {
	a := &s.arena
	if a.dict == nil && e.slab.dict != nil {
		a.adopt(e.slab.dict, maxRatio)
		a.dicts = append(a.dicts, a.dict)
	}
	kept := s.rewrite(e)
	s.live.put(kept)
	s.changes = append(s.changes, Change{Kind: Added, Cause: Initial, New: kept})
}
