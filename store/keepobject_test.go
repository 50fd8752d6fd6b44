package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// keeping is a store whose KeepObject selects bodies that do not compress.
type keeping struct {
	*store.Store
	random  *rand.Rand
	version wire.Version
}

func newKeeping(t *testing.T) *keeping {
	t.Helper()
	decode := func(rec wire.Record) (any, error) {
		if bytes.HasPrefix(rec.Body, []byte("bad")) {
			return nil, errors.New("planted")
		}
		return string(rec.Body), nil
	}
	s := store.New(store.Config{Decode: decode, KeepObject: func(c store.Candidate) bool { return !c.Packs }})
	return &keeping{Store: s, random: testinput.Rand(t)}
}

// record returns the next revision of an object. Its body compresses, or is random.
func (k *keeping) record(i, size int, packs bool) delta.Delta {
	body := []byte(strings.Repeat(fmt.Sprintf(`{"setting":"value-%d"}`, i%7), size/20))
	if !packs {
		for j := 0; j+8 <= len(body); j += 8 {
			binary.NativeEndian.PutUint64(body[j:], k.random.Uint64())
		}
	}
	k.version++
	return delta.Delta{Kind: delta.Upsert, Record: wire.Record{Key: wire.Key{Name: fmt.Sprint("o", i)}, UID: fmt.Sprint(i), Version: k.version, Body: body}}
}

// objects returns the number of entries with an object. The others have a body.
func (k *keeping) objects(t *testing.T) (n int) {
	t.Helper()
	for e := range k.Snapshot().All() {
		object, err := e.Object()
		if err != nil {
			t.Fatal(err)
		}
		if body := e.Record().Body; (object == nil) == (body == nil) {
			t.Fatalf("%s: got object %v and a body of %d bytes", e.Key(), object != nil, len(body))
		}
		if object != nil {
			n++
			if len(object.(string)) != e.Len() {
				t.Fatalf("%s: got %d bytes, want %d", e.Key(), e.Len(), len(object.(string)))
			}
		}
	}
	if st := k.Stats(); st.Decoded != n {
		t.Fatalf("got %d decoded objects, but Stats has %d", n, st.Decoded)
	}
	return n
}

// TestKeepObjectOfBodiesThatDoNotPack checks that the store learns whether short and long
// bodies compress, with and without a dictionary, and that it notices when they change.
func TestKeepObjectOfBodiesThatDoNotPack(t *testing.T) {
	t.Parallel()
	for _, size := range []int{2_000, 20_000} {
		for _, packed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d bytes, packed before %v", size, packed), func(t *testing.T) {
				n := testinput.Size(t, 500, 1000)
				k := newKeeping(t)
				list := delta.Batch{begin}
				for i := range n {
					list = append(list, k.record(i, size, packed))
				}
				apply(t, k.Store, append(list, end(int(k.version)))...)
				share := func(packs bool, rounds int) float64 {
					for range rounds {
						for i := range n {
							apply(t, k.Store, k.record(i, size, packs))
						}
					}
					return float64(k.objects(t)) / float64(n)
				}
				for _, c := range []struct {
					packs       bool
					rounds      int
					least, most float64
				}{{packed, 1, 0, 1}, {false, 4, 0.9, 1}, {true, 20, 0, 0.1}, {false, 4, 0.9, 1}} {
					if is := share(c.packs, c.rounds); is < c.least || is > c.most || packed && c.rounds == 1 && is > 0 {
						t.Errorf("after bodies with packs %v: got a share of %.2f decoded objects, want %.1f to %.1f", c.packs, is, c.least, c.most)
					}
				}
			})
		}
	}
}

// TestKeepObject checks that an object that cannot be decoded keeps its body, that a
// later index reads objects and bodies, that a deletion has the last state, and that no
// file can be written.
func TestKeepObject(t *testing.T) {
	decode := func(rec wire.Record) (any, error) {
		if string(rec.Body) == "bad" {
			return nil, errors.New("planted")
		}
		return string(rec.Body), nil
	}
	s := store.New(store.Config{Decode: decode, KeepObject: func(c store.Candidate) bool { return c.Size <= 3 }})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsertBody("a", 1, "one"), upsertBody("b", 2, "bad"), upsertBody("c", 3, "three"), end(3))
	sees := func(name string, object any, body string) {
		t.Helper()
		e, ok := s.Snapshot().Get(wire.Key{Name: name})
		is, err := e.Object()
		if !ok || err != nil || is != object || string(e.Record().Body) != body {
			t.Errorf("%s: got %v, %v, body %q", name, is, err, e.Record().Body)
		}
	}
	sees("a", "one", "")
	sees("b", nil, "bad")
	sees("c", nil, "three")
	index := s.AddIndex(func(dst []string, rec *wire.Record, object any) []string {
		if object == nil {
			object = string(rec.Body)
		}
		return append(dst, object.(string))
	})
	for _, value := range []string{"one", "bad", "three"} {
		found := 0
		for range index.Get(s.Snapshot(), value) {
			found++
		}
		if found != 1 {
			t.Errorf("got %d objects with the value %q", found, value)
		}
	}
	apply(t, s, upsertBody("a", 4, "a long one"), upsertBody("c", 5, "two"))
	sees("a", nil, "a long one")
	sees("c", "two", "")
	if st := s.Stats(); st.Decoded != 1 || st.Objects != 3 {
		t.Errorf("got %+v, want one decoded object of three", st)
	}
	if err := s.Snapshot().WriteFile(io.Discard, store.FileOptions{}); err == nil {
		t.Error("got no error for a file of a store without bodies")
	}
	d := upsertBody("c", 6, "end")
	d.Kind = delta.Delete
	apply(t, s, d)
	changes, _, err := sub.CatchUp()
	if err != nil || len(changes) == 0 {
		t.Fatal(changes, err)
	}
	c := changes[len(changes)-1]
	if last, err := c.Last().Object(); c.Kind != store.Deleted || last != "end" || err != nil {
		t.Errorf("got %v with the last state %v, %v", c.Kind, last, err)
	}
}

// TestObjectsOnlyHaveNewContent checks that a list updates objects whose content is new at
// the same version, and no others, although the store has no bodies to compare.
func TestObjectsOnlyHaveNewContent(t *testing.T) {
	decode := func(rec wire.Record) (any, error) { return string(rec.Body), nil }
	s := store.New(store.Config{Decode: decode, Bodies: store.ObjectsOnly})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	for _, body := range []string{"one", "two"} {
		for range 2 {
			apply(t, s, begin, upsertBody("a", 7, body), end(7))
		}
		if changes, _ := sub.Changes(); len(changes) != 1 {
			t.Errorf("got %d changes for %q, want 1", len(changes), body)
		}
		e, _ := s.Snapshot().Get(wire.Key{Name: "a"})
		if object, err := e.Object(); object != body || err != nil {
			t.Errorf("got %v, %v, want %q", object, err, body)
		}
	}
}

func upsertBody(name string, version wire.Version, body string) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Record: wire.Record{Key: wire.Key{Name: name}, UID: name, Version: version, Body: []byte(body)}}
}

// TestKeepObjectOfReaders compares a store, whose readers have objects kept, with a map:
// after each step each object has its content in one form, indexes and held snapshots are
// right, and subscribers see no change. A reader of an old state keeps nothing.
func TestKeepObjectOfReaders(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	r, want := k.random, map[string]string{}
	sub := k.Subscribe(store.EveryChange)
	defer sub.Close()
	var indexes []*store.Index
	var held []*store.Snapshot
	var texts []map[string]string
	changes := 0
	write := func(i int, drop bool) delta.Delta {
		d := k.record(i, 20*(1+r.IntN(60)), true)
		d.Version = d.Record.Version
		if name := d.Record.Name; drop {
			d.Kind = delta.Delete
			if _, had := want[name]; had {
				changes++
			}
			delete(want, name)
		} else {
			want[name] = string(d.Record.Body)
			changes++
		}
		return d
	}
	apply(t, k.Store, begin, end(0))
	for step := range testinput.Size(t, 3_000, 30_000) {
		switch op := r.IntN(10); {
		case op < 4:
			apply(t, k.Store, write(r.IntN(50), r.IntN(5) == 0))
		case op == 4: // a list without a change
			list := delta.Batch{begin}
			for e := range k.Snapshot().All() {
				rec := e.Record()
				rec.Body = []byte(want[rec.Name])
				list = append(list, delta.Delta{Kind: delta.Upsert, Record: rec})
			}
			apply(t, k.Store, append(list, end(int(k.version)))...)
		case op == 5 && len(held) < 20:
			held, texts = append(held, k.Snapshot()), append(texts, maps.Clone(want))
		case op == 6 && len(indexes) < 3 && step > 500*len(indexes):
			indexes = append(indexes, k.AddIndex(func(dst []string, rec *wire.Record, object any) []string {
				body, decoded := object.(string)
				if !decoded {
					body = string(rec.Body)
				}
				return append(dst, fmt.Sprint(len(body)%7))
			}))
		default:
			k.reads(t, r.IntN(50), want, held)
		}
		k.objects(t)
		k.holds(t, k.Snapshot(), want, indexes)
	}
	for i, s := range held {
		k.holds(t, s, texts[i], nil)
	}
	got, err := sub.Changes()
	if err != nil || len(got) != changes {
		t.Errorf("the subscriber got %d changes, %v, want %d", len(got), err, changes)
	}
}

// reads decodes an object and has it kept, twice, and then its state in an old snapshot.
func (k *keeping) reads(t *testing.T, i int, want map[string]string, held []*store.Snapshot) {
	t.Helper()
	key := wire.Key{Name: fmt.Sprint("o", i)}
	e, ok := k.Snapshot().Get(key)
	if !ok {
		return
	}
	first := want[key.Name]
	for range 2 {
		kept, stored := k.KeepObject(e, first)
		now, _ := k.Snapshot().Get(key)
		if is, _ := now.Object(); !stored || kept != first || is != first || !now.SameContent(e) {
			t.Fatalf("%s: kept is %v", key, stored)
		}
	}
	if len(held) == 0 {
		return
	}
	if old, ok := held[k.random.IntN(len(held))].Get(key); ok && !old.SameContent(e) {
		if _, stored := k.KeepObject(old, "an old state"); stored {
			t.Fatalf("%s: an old state was kept", key)
		}
	}
}

// holds compares a snapshot with the expected objects.
func (k *keeping) holds(t *testing.T, s *store.Snapshot, want map[string]string, indexes []*store.Index) {
	t.Helper()
	values := map[string]int{}
	for e := range s.All() {
		body := string(e.Record().Body)
		if object, _ := e.Object(); object != nil {
			body = object.(string)
		}
		if body != want[e.Key().Name] {
			t.Fatalf("%s has the content %.40q, want %.40q", e.Key(), body, want[e.Key().Name])
		}
		values[fmt.Sprint(len(body)%7)]++
	}
	if s.Len() != len(want) {
		t.Fatalf("got %d objects, want %d", s.Len(), len(want))
	}
	for _, x := range indexes {
		for v, n := range values {
			if got := x.Len(s, v); got != n {
				t.Fatalf("the index has %d objects with %s, want %d", got, v, n)
			}
		}
	}
}

// TestKeepObjectFreesBodies: the memory of the bodies goes when readers have the objects kept.
func TestKeepObjectFreesBodies(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	for i := range 5_000 {
		apply(t, k.Store, k.record(i, 2_000, true))
	}
	before := k.Stats().HeldBytes
	for e := range k.Snapshot().All() {
		if _, stored := k.KeepObject(e, string(e.Record().Body)); !stored {
			t.Fatalf("%s was not kept", e.Key())
		}
	}
	if n, after := k.objects(t), k.Stats().HeldBytes; n != 5_000 || after > before/4 {
		t.Errorf("%d objects are kept, and the bodies take %d bytes instead of %d", n, after, before)
	}
}
