package store

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// sibling returns a body of a generation. The bodies of one generation are similar.
func sibling(generation, i int) []byte {
	return fmt.Appendf(nil, `{"name":"pod-%d","spec":{%s}}`, i, strings.Repeat(fmt.Sprintf(`"generation-%d":true,`, generation), 20))
}

func record(generation, i int) *wire.Record {
	return &wire.Record{Key: wire.Key{Name: fmt.Sprintf("%d-%d", generation, i)}, Version: 1, Encoding: wire.JSON, Body: sibling(generation, i)}
}

// TestFewDictionaries checks that, when there are too many dictionaries, the oldest is
// dropped and its records are repacked without loss.
func TestFewDictionaries(t *testing.T) {
	s := New(Config{})
	const generations, perGeneration = maxDictionaries + 3, 500
	for g := range generations {
		s.arena.adopt(pack.NewDictionary(sibling(g, 0)), 0.1)
		s.addDictionary()
		for i := range perGeneration {
			e, ok := s.makeEntry(record(g, i), nil, Entry{})
			if !ok {
				t.Fatal("Apply failed")
			}
			s.put(e)
		}
		s.compact(10_000)
	}
	used := map[*pack.Dictionary]int{}
	for e := range s.live.objects.Scan {
		used[e.slab.dict]++
		var g, i int
		if _, err := fmt.Sscanf(e.Key().Name, "%d-%d", &g, &i); err != nil || string(e.Record().Body) != string(sibling(g, i)) {
			t.Fatalf("%v: the body has changed", e.Key())
		}
	}
	if s.live.objects.Len() != perGeneration*generations || len(used) > maxDictionaries {
		t.Errorf("got %d objects, packed with %d dictionaries", s.live.objects.Len(), len(used))
	}
}

// TestNoiseBesideSiblings checks that a body that does not compress is stored plain, next
// to bodies that compress.
func TestNoiseBesideSiblings(t *testing.T) {
	s := New(Config{})
	s.arena.adopt(pack.NewDictionary(sibling(0, 0)), 0.1)
	noise := make([]byte, 500)
	random := testinput.Rand(t)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	odd := record(0, 1)
	odd.Body = noise
	for _, c := range []struct {
		rec  *wire.Record
		want bodyFormat
	}{{record(0, 2), formatDictionary}, {odd, formatPlain}} {
		e, _ := s.makeEntry(c.rec, nil, Entry{})
		if h := e.header(); h.format() != c.want || string(e.Record().Body) != string(c.rec.Body) {
			t.Errorf("%v: got format %d, want %d", c.rec.Key, h.format(), c.want)
		}
	}
}

// TestLongBodies checks that a long body is compressed if that saves most of its size:
// with the dictionary, if that saves much more than a block. The unpacked body is
// unchanged.
func TestLongBodies(t *testing.T) {
	t.Parallel()
	random := testinput.Rand(t)
	words := func(n int) []byte { // random text of a few words
		var b []byte
		for len(b) < n {
			b = fmt.Appendf(b, "%s-%04d ", []string{"request", "limit", "annotation", "volume"}[random.IntN(4)], random.IntN(10_000))
		}
		return b[:n]
	}
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	same := words(20_000)
	sibling := func(i int) []byte { return fmt.Appendf(nil, "%d %s %d", i, same, i) }
	for name, c := range map[string]struct {
		dict *pack.Dictionary
		body func(i int) []byte
		want bodyFormat
	}{
		"siblings":                     {pack.NewDictionary(sibling(-1)), sibling, formatDictionary},
		"siblings, without dictionary": {nil, sibling, formatPlain},
		"repetitions":                  {nil, func(i int) []byte { return bytes.Repeat(words(500), 40) }, formatS2},
		"words":                        {pack.NewDictionary(words(20_000)), func(int) []byte { return words(20_000) }, formatPlain},
		"noise":                        {pack.NewDictionary(words(20_000)), func(int) []byte { return noise }, formatPlain},
	} {
		s := New(Config{})
		if c.dict != nil {
			s.arena.adopt(c.dict, 0.1)
		}
		var last Entry
		for i := range 3 * minTrialInterval {
			rec := record(0, i)
			rec.Body = c.body(i)
			last, _ = s.makeEntry(rec, nil, Entry{})
			if string(last.Record().Body) != string(rec.Body) {
				t.Fatalf("%s: body %d has changed", name, i)
			}
		}
		if h := last.header(); h.format() != c.want {
			t.Errorf("%s: got format %d, want %d", name, h.format(), c.want)
		}
	}
}
