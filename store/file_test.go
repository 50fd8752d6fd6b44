package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// filled returns a store with packed, plain and changed records.
func filled(t testing.TB, n int) *store.Store {
	s := store.New(store.Config{})
	s.AddIndex(node)
	apply(t, s, begin)
	for i := range n {
		apply(t, s, pod(i, i+1, body(i, i+1)))
	}
	apply(t, s, end(n))
	apply(t, s, pod(1, n+1, []byte(`{"node":"node-001"}`)), delta.Delta{Kind: delta.Bookmark, Version: 5_000_000})
	return s
}

func written(t testing.TB, s *store.Store, opts store.FileOptions) []byte {
	var file bytes.Buffer
	if err := s.Snapshot().WriteFile(&file, opts); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func all(delta.Scope, string) bool { return true }

// TestFile checks that a loaded store equals the written one, including its indexes,
// continues as after a list, and can be written again.
func TestFile(t *testing.T) {
	t.Parallel()
	for name, key := range map[string][]byte{"plain": nil, "encrypted": bytes.Repeat([]byte("k"), 32)} {
		t.Run(name, func(t *testing.T) {
			s := filled(t, 1000)
			opts := store.FileOptions{Identity: store.Identity{"resource": "pods"}, Key: key}
			file := written(t, s, opts)
			want := contents(t, s.Snapshot())
			loaded := store.New(store.Config{})
			index := loaded.AddIndex(node)
			sub := loaded.Subscribe(store.EveryChange)
			defer sub.Close()
			if err := loaded.Load(bytes.NewReader(file), opts, all); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, loaded.Snapshot()); !maps.Equal(got, want) {
				t.Errorf("got %d objects, want %d", len(got), len(want))
			}
			if v := loaded.Snapshot().Reached(delta.Scope{}); v != 5_000_000 || !loaded.Snapshot().Synced() {
				t.Errorf("got version %v", v)
			}
			if got := index.Len(loaded.Snapshot(), "node-042"); got != 10 {
				t.Errorf("got %d objects in the index", got)
			}
			changes, _, err := sub.CatchUp()
			if err != nil || len(changes) != 1000 || changes[0].Cause != store.Initial {
				t.Errorf("got %d changes, %v", len(changes), err)
			}
			if key == nil && len(file) > int(loaded.Stats().RawBytes)/3 {
				t.Errorf("got a file of %d B for %d B", len(file), loaded.Stats().RawBytes)
			}
			apply(t, loaded, pod(7, 5_000_001, body(7, 5_000_001)))
			apply(t, s, pod(7, 5_000_001, body(7, 5_000_001)))
			again := store.New(store.Config{})
			if err := again.Load(bytes.NewReader(written(t, loaded, opts)), opts, all); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(contents(t, again.Snapshot()), contents(t, s.Snapshot())) {
				t.Error("a second file has other contents")
			}
			if err := again.Load(bytes.NewReader(file), opts, all); err == nil {
				t.Error("got no error for loading into a store with objects")
			}
		})
	}
}

// TestFileOfScopes checks that scopes that are no longer followed are left out.
func TestFileOfScopes(t *testing.T) {
	s := store.New(store.Config{})
	m := &model{objects: map[string][2]string{"ax": {"1", "5"}, "bx": {"2", "6"}}, version: 7}
	apply(t, s, m.list(delta.Scope{Namespace: "a"})...)
	apply(t, s, m.list(delta.Scope{Namespace: "b"})...)
	file := written(t, s, store.FileOptions{})
	loaded := store.New(store.Config{})
	if err := loaded.Load(bytes.NewReader(file), store.FileOptions{}, func(sc delta.Scope, _ string) bool { return sc.Namespace == "b" }); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(maps.Keys(contents(t, loaded.Snapshot()))); len(got) != 1 || got[0].Namespace != "b" {
		t.Errorf("got %v", got)
	}
	if s := loaded.Snapshot(); s.Reached(delta.Scope{Namespace: "a"}) != 0 || s.Reached(delta.Scope{Namespace: "b"}) != 7 {
		t.Error("wrong versions of scopes")
	}
}

// TestDamagedFile checks that a file with any changed byte, or truncated anywhere, is
// rejected and leaves the store empty and usable.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for name, key := range map[string][]byte{"plain": nil, "encrypted": bytes.Repeat([]byte("k"), 32)} {
		t.Run(name, func(t *testing.T) {
			opts := store.FileOptions{Identity: store.Identity{"resource": "pods"}, Key: key}
			s := store.New(store.Config{})
			apply(t, s, begin, upsert("ax", "1", 5), upsert("ay", "2", 6), end(7))
			file := written(t, s, opts)
			refused := func(what string, damaged []byte) {
				t.Helper()
				loaded := store.New(store.Config{})
				err := loaded.Load(bytes.NewReader(damaged), opts, all)
				var reason *store.FileError
				if !errors.As(err, &reason) || reason.Reason == "" {
					t.Fatalf("%s: got %v", what, err)
				}
				if loaded.Snapshot().Len() != 0 || loaded.Snapshot().Synced() {
					t.Fatalf("%s: the store is not empty", what)
				}
				apply(t, loaded, begin, upsert("az", "3", 8), end(9))
			}
			for i := range file {
				damaged := bytes.Clone(file)
				damaged[i] ^= 0x10
				refused(fmt.Sprintf("byte %d of %d", i, len(file)), damaged)
				refused(fmt.Sprintf("cut at %d", i), file[:i])
			}
		})
	}
	var reason *store.FileError
	file := written(t, filled(t, 3), store.FileOptions{Identity: store.Identity{"resource": "pods"}})
	file[len("VEDETTE")] = 3
	if err := store.New(store.Config{}).Load(bytes.NewReader(file), store.FileOptions{Identity: store.Identity{"resource": "pods"}}, all); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "version 3") {
		t.Errorf("another version: got %v", err)
	}
	if err := store.New(store.Config{}).Snapshot().WriteFile(&bytes.Buffer{}, store.FileOptions{}); err == nil {
		t.Error("got no error for writing an unsynced store")
	}
}

// TestFileWithAnotherCount checks that a file with fewer objects than its head states is
// rejected, although no byte is damaged.
func TestFileWithAnotherCount(t *testing.T) {
	file := written(t, filled(t, 3), store.FileOptions{Identity: store.Identity{"resource": "pods"}})
	const begin = 8 // after the magic: length, checksum, head
	head := file[begin+8 : begin+8+int(binary.LittleEndian.Uint32(file[begin:]))]
	at := bytes.Index(head, []byte(`"objects":3`))
	if at < 0 {
		t.Fatalf("unexpected head %s", head)
	}
	head[at+len(`"objects":`)] = '4'
	binary.LittleEndian.PutUint32(file[begin+4:], crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	var reason *store.FileError
	if err := store.New(store.Config{}).Load(bytes.NewReader(file), store.FileOptions{Identity: store.Identity{"resource": "pods"}}, all); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "3 objects") {
		t.Errorf("got error %v", err)
	}
}

// TestFileWithUnknownEncoding checks that a file is rejected if a record has an encoding
// that package wire does not know, as a file of a later version may have, and that a file
// with any known encoding is read.
func TestFileWithUnknownEncoding(t *testing.T) {
	opts := store.FileOptions{Identity: store.Identity{"resource": "pods"}}
	for n := range 16 { // a record has four bits for its encoding
		encoding := wire.Encoding(n)
		known := !strings.HasPrefix(encoding.String(), "encoding(")
		s := store.New(store.Config{})
		d := pod(1, 1, body(1, 1))
		d.Record.Encoding = encoding
		apply(t, s, begin, pod(0, 1, body(0, 1)), d, end(1))
		loaded := store.New(store.Config{})
		err := loaded.Load(bytes.NewReader(written(t, s, opts)), opts, all)
		if known {
			if err != nil || loaded.Snapshot().Len() != 2 {
				t.Errorf("%v: got %d objects and error %v, want 2 objects", encoding, loaded.Snapshot().Len(), err)
			}
			continue
		}
		var reason *store.FileError
		if want := fmt.Sprintf("unknown encoding %d", n); !errors.As(err, &reason) || !strings.Contains(reason.Reason, want) {
			t.Errorf("%v: got error %v, want a FileError with %q", encoding, err, want)
		}
		if l := loaded.Snapshot(); l.Len() != 0 || l.Synced() {
			t.Errorf("%v: got %d objects, synced %v, want an empty store that is not synced", encoding, l.Len(), l.Synced())
		}
	}
}

// TestOtherKey checks that an encrypted file cannot be read with another key or without a
// key.
func TestOtherKey(t *testing.T) {
	key := bytes.Repeat([]byte("k"), 32)
	file := written(t, filled(t, 10), store.FileOptions{Identity: store.Identity{"resource": "pods"}, Key: key})
	for name, key := range map[string][]byte{"another": bytes.Repeat([]byte("x"), 32), "none": nil} {
		var reason *store.FileError
		if err := store.New(store.Config{}).Load(bytes.NewReader(file), store.FileOptions{Identity: store.Identity{"resource": "pods"}, Key: key}, all); !errors.As(err, &reason) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if bytes.Contains(file, []byte("team-")) || bytes.Contains(file, []byte("node-")) {
		t.Error("the encrypted file has plain text")
	}
}

// FuzzLoad checks that loading any frame with a valid checksum returns an error, or a
// store that can be read.
func FuzzLoad(f *testing.F) {
	file := written(f, filled(f, 5), store.FileOptions{})
	at := len("VEDETTE") + 1
	head := file[:at+8+int(binary.LittleEndian.Uint32(file[at:]))]
	for rest := file[len(head):]; len(rest) > 8; {
		n := 8 + int(binary.LittleEndian.Uint32(rest))
		f.Add(bytes.Clone(rest[8:n]))
		rest = rest[n:]
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		made := bytes.Clone(head)
		for _, part := range [][]byte{frame, {'E', 5}} {
			made = binary.LittleEndian.AppendUint32(made, uint32(len(part)))
			made = binary.LittleEndian.AppendUint32(made, crc32.Checksum(part, crc32.MakeTable(crc32.Castagnoli)))
			made = append(made, part...)
		}
		s := store.New(store.Config{})
		if err := s.Load(bytes.NewReader(made), store.FileOptions{}, all); err != nil {
			return
		}
		for e := range s.Snapshot().All() {
			e.Record()
		}
	})
}

// BenchmarkLoad loads 100,000 objects.
func BenchmarkLoad(b *testing.B) {
	s := filled(b, 100_000)
	file := written(b, s, store.FileOptions{})
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		loaded := store.New(store.Config{})
		began := time.Now()
		if err := loaded.Load(bytes.NewReader(file), store.FileOptions{}, all); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/100000")
	}
}
