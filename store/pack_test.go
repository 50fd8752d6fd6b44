package store_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/retained"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// body returns a body of about 2 KB that differs from others in a few fields.
func body(i, version int) []byte { return bodyWith(fields, i, version) }

// bodyWith returns a body with some of many fields.
func bodyWith(fields []string, i, version int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"pod-%05d","uid":"00000000-0000-4000-8000-%012d","resourceVersion":"%d"},"spec":{%s"nodeName":"node-%03d"}}`,
		i, i, version, fields[i%len(fields)], i%100)
}

// fields are what bodies have in common with others. To format them for each body would take
// longer than the measured work.
var fields = func() (all []string) {
	for i := range 50 {
		var b strings.Builder
		for f := range 40 {
			fmt.Fprintf(&b, `"field-%02d":{"value":"of-%03d","enabled":true},`, f, i*f)
		}
		all = append(all, b.String())
	}
	return all
}()

// renamed returns the fields with other names.
func renamed(names *strings.Replacer) (all []string) {
	for _, text := range fields {
		all = append(all, names.Replace(text))
	}
	return all
}

func pod(i, version int, text []byte) delta.Delta {
	rec := wire.Record{
		Key:     wire.Key{Namespace: fmt.Sprintf("team-%02d", i%20), Name: fmt.Sprintf("pod-%05d", i)},
		UID:     fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
		Version: wire.Version(version), Encoding: wire.JSON, Body: text,
	}
	return delta.Delta{Kind: delta.Upsert, Version: rec.Version, Record: rec}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func node(dst []string, rec *wire.Record, _ any) []string {
	at := bytes.LastIndex(rec.Body, []byte("node-"))
	return append(dst, string(rec.Body[at:at+8]))
}

// TestBytesPerObject limits the memory per object: its packed bytes, and at most 200 more
// for key, UID, version and an index.
func TestBytesPerObject(t *testing.T) {
	const n = 10000
	raw := 0
	s := store.New(store.Config{})
	index := s.AddIndex(node)
	each := retained.Bytes(t, func() any {
		var list []delta.Delta
		apply(t, s, begin)
		for i := range n {
			d := pod(i, i+1, body(i, i+1))
			raw += len(d.Record.Body)
			if list = append(list, d); len(list) == 100 {
				apply(t, s, list...)
				list = list[:0]
			}
		}
		apply(t, s, end(n))
		return s
	}) / n
	got := 0
	for e := range s.Snapshot().All() {
		rec := e.Record()
		i := int(rec.Version) - 1
		if string(rec.Body) != string(body(i, i+1)) {
			t.Fatalf("%v: the body has changed", rec.Key)
		}
		got++
	}
	st := s.Stats()
	const names = 9 + 7 + 36 + 8 + 11 // bytes of a record in a slab: name, namespace, uid, value of the index, lengths and version
	packed := int(st.HeldBytes)/n - names
	t.Logf("%d B raw, %d B each in the heap, %d B in slabs", raw/n, each, st.HeldBytes/n)
	if got != n || each-packed > 200 || each > raw/n/4 || st.Dictionaries != 1 {
		t.Errorf("got %d objects of %d B with %d B of heap each, %d B packed; %d dictionaries", got, raw/n, each, packed, st.Dictionaries)
	}
	if index.Len(s.Snapshot(), "node-042") != n/100 {
		t.Error("the index is incomplete")
	}
}

// TestMemoryStaysFlat updates random objects, thirty times as often as there are objects.
// The memory of dead revisions is reused, and no object is lost.
func TestMemoryStaysFlat(t *testing.T) {
	t.Parallel()
	const n, rounds = 600, 30
	s := store.New(store.Config{})
	s.AddIndex(node)
	random := testinput.Rand(t)
	version := 0
	last := map[int]int{}
	batch := []delta.Delta{begin}
	for i := range n {
		version++
		last[i] = version
		batch = append(batch, pod(i, version, body(i, version)))
	}
	apply(t, s, append(batch, end(version))...)
	full := s.Stats().HeldBytes
	most := full
	for range n * rounds / 30 {
		batch = batch[:0]
		for range 30 {
			version++
			i := random.IntN(n)
			last[i] = version
			batch = append(batch, pod(i, version, body(i, version)))
		}
		apply(t, s, batch...)
		most = max(most, s.Stats().HeldBytes)
	}
	if most > 3*full {
		t.Errorf("got %d B after the list, and a maximum of %d", full, most)
	}
	for e := range s.Snapshot().All() {
		rec := e.Record()
		var i int
		fmt.Sscanf(rec.Name, "pod-%d", &i)
		if want := body(i, last[i]); int(rec.Version) != last[i] || string(rec.Body) != string(want) {
			t.Fatalf("%v at %v: the body has changed", rec.Key, rec.Version)
		}
		delete(last, i)
	}
	if len(last) > 0 {
		t.Errorf("%d objects are missing", len(last))
	}
}

// TestDrift checks that the store builds a new dictionary when bodies change, and keeps
// it when only their order changes.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := store.New(store.Config{})
	version := 0
	fill := func(fields []string) {
		var batch []delta.Delta
		for i := range 6000 {
			version++
			if batch = append(batch, pod(i, version, bodyWith(fields, i, version))); len(batch) == 20 {
				apply(t, s, batch...)
				batch = batch[:0]
			}
		}
	}
	var names []string
	for f := range 40 {
		name := fmt.Sprintf("field-%02d", f)
		names = append(names, name, fmt.Sprintf("%x", sha256.Sum256([]byte(name))))
	}
	fill(fields)
	first := s.Stats()
	others := renamed(strings.NewReplacer(names...))
	fill(others)
	fill(others)
	if last := s.Stats(); first.Dictionaries != 1 || last.Dictionaries < 2 || last.HeldBytes > last.RawBytes/5 {
		t.Errorf("got %+v at first, %+v after the drift", first, last)
	}
}

// TestIncompressibleBodies checks that incompressible bodies are stored plain, at the
// cost of their size.
func TestIncompressibleBodies(t *testing.T) {
	const n, size = 2000, 3000
	random := testinput.Rand(t)
	s := store.New(store.Config{})
	each := retained.Bytes(t, func() any {
		apply(t, s, begin)
		for i := range n {
			noise := make([]byte, size)
			for i := range noise {
				noise[i] = byte(random.Uint32())
			}
			apply(t, s, pod(i, i+1, noise))
		}
		apply(t, s, end(n))
		return s
	}) / n
	if each > size*11/10+200 {
		t.Errorf("got %[2]d B in memory for %[1]d B of noise", size, each)
	}
	if d := s.Stats().Dictionaries; d != 0 {
		t.Errorf("got %d dictionaries for noise", d)
	}
}

// TestAllocationsPerEvent limits the allocations per event.
func TestAllocationsPerEvent(t *testing.T) {
	s := store.New(store.Config{})
	s.AddIndex(node)
	apply(t, s, begin)
	for i := range 2000 {
		apply(t, s, pod(i, i+1, body(i, i+1)))
	}
	apply(t, s, end(2000))
	version := wire.Version(2000)
	batch := make(delta.Batch, 100)
	for i := range batch {
		batch[i] = pod(i, 1, body(i, 1))
	}
	if each := testing.AllocsPerRun(50, func() {
		for i := range batch {
			version++
			batch[i].Version, batch[i].Record.Version = version, version
		}
		if err := s.Apply(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}) / 100; each > 5 {
		t.Errorf("got %v allocations per event in a batch of 100", each)
	}
}

// TestCutLists checks that interrupted lists leave no memory behind, and neither do
// duplicate objects in a list, as in a page that is fetched again.
func TestCutLists(t *testing.T) {
	t.Parallel()
	const n = 300
	s := store.New(store.Config{})
	version := 0
	list := func() {
		batch := []delta.Delta{begin}
		for range 2 {
			for i := range n {
				version++
				batch = append(batch, pod(i, version, body(i, version)))
			}
		}
		apply(t, s, batch...)
	}
	list()
	first := s.Stats().HeldBytes
	for range 50 {
		list()
		apply(t, s, delta.Delta{Kind: delta.Bookmark, Version: 1}) // compaction runs with each batch
	}
	if last := s.Stats().HeldBytes; last > 4*first {
		t.Errorf("got %d B after one interrupted list, %d after fifty", first, last)
	}
	apply(t, s, end(version))
	if got := s.Snapshot().Len(); got != n {
		t.Errorf("got %d objects", got)
	}
}

// TestIndexDuringAList checks that an index that is added while a list arrives has all
// objects of the list.
func TestIndexDuringAList(t *testing.T) {
	s := store.New(store.Config{})
	apply(t, s, begin, pod(1, 1, body(1, 1)), pod(2, 2, body(2, 2)))
	index := s.AddIndex(node)
	apply(t, s, pod(3, 3, body(3, 3)), end(3))
	for i := 1; i <= 3; i++ {
		if got := index.Len(s.Snapshot(), fmt.Sprintf("node-%03d", i)); got != 1 {
			t.Errorf("got %d objects on node %d", got, i)
		}
	}
}
