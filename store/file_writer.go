package store

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/vedette-io/vedette/internal/pack"
)

// WriteFile writes the snapshot in its packed form, for Load. It reads only immutable
// data, on the caller's goroutine.
//
// Errors: those of w; a key of the wrong length; a snapshot that is not synced, because
// no watch could resume from it; a store that keeps objects without bodies.
func (s *Snapshot) WriteFile(w io.Writer, opts FileOptions) error {
	if !s.synced {
		return errors.New("cannot write a snapshot file: the first list is not complete")
	}
	if s.origin.dropsBodies {
		return errors.New("cannot write a snapshot file: the store keeps objects without bodies (Config.Bodies is ObjectsOnly, or Config.KeepObject is set)")
	}
	head := fileHead{Identity: opts.Identity, Written: time.Now().UTC(), Objects: s.Len(), Encrypted: opts.Key != nil}
	for _, r := range s.scopes {
		if !r.listed {
			continue // no watch could resume from it
		}
		one := fileScope{Cluster: r.scope.Cluster, Namespace: r.scope.Namespace, Version: r.version}
		if opts.Origin != nil {
			one.Origin = opts.Origin(r.scope)
		}
		head.Scopes = append(head.Scopes, one)
	}
	if head.Encrypted {
		head.Salt = make([]byte, saltBytes)
		rand.Read(head.Salt)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	sealed, err := newFrameCipher(opts.Key, &head, text)
	if err != nil {
		return err
	}
	out := fileWriter{w: bufio.NewWriterSize(w, 1<<20), cipher: sealed, dicts: map[*pack.Dictionary]uint64{nil: 0}, frame: []byte{frameRecords}}
	if _, err := out.w.WriteString(fileMagic); err != nil {
		return err
	}
	if err := frameFormat.Write(out.w, text); err != nil {
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
	w      *bufio.Writer
	cipher *frameCipher
	dicts  map[*pack.Dictionary]uint64
	frame  []byte
}

func (f *fileWriter) record(e Entry) error {
	dict, known := f.dicts[e.slab.dict]
	if !known {
		dict = uint64(len(f.dicts))
		f.dicts[e.slab.dict] = dict
		if err := f.flush(); err != nil {
			return err
		}
		if err := frameFormat.Write(f.w, f.cipher.seal(append([]byte{frameDictionary}, e.slab.dict.Text()...))); err != nil {
			return err
		}
	}
	if after, _ := e.reference(); after != nil {
		e = e.Detached() // a file has no references
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
	err := frameFormat.Write(f.w, f.cipher.seal(f.frame))
	f.frame = f.frame[:1]
	return err
}

func (f *fileWriter) end(objects int) error {
	if err := f.flush(); err != nil {
		return err
	}
	frame := binary.AppendUvarint([]byte{frameEnd}, uint64(objects))
	if err := frameFormat.Write(f.w, f.cipher.seal(frame)); err != nil {
		return err
	}
	return f.w.Flush()
}
