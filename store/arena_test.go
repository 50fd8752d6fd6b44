package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/wire"
)

// sibling is a body of a generation, of which all are alike.
func sibling(generation, i int) []byte {
	return fmt.Appendf(nil, `{"name":"pod-%d","spec":{%s}}`, i, strings.Repeat(fmt.Sprintf(`"generation-%d":true,`, generation), 20))
}

func record(generation, i int) *wire.Record {
	return &wire.Record{Key: wire.Key{Name: fmt.Sprintf("%d-%d", generation, i)}, Version: 1, Encoding: wire.JSON, Body: sibling(generation, i)}
}

// TestFewDictionaries: of more dictionaries than may be in use, the oldest is
// given up, and its records are packed with another; none is lost.
func TestFewDictionaries(t *testing.T) {
	s := New(Config{})
	const generations, perGeneration = maxDictionaries + 3, 500
	for g := range generations {
		s.arena.adopt(wire.NewDictionary(sibling(g, 0)), 0.1)
		s.renewed()
		for i := range perGeneration {
			e, ok := s.keep(record(g, i))
			if !ok {
				t.Fatal("refused")
			}
			s.put(e)
		}
		s.tidy(10_000)
	}
	used := map[*wire.Dictionary]int{}
	for e := range s.live.objects.Scan {
		used[e.slab.dict]++
		var g, i int
		if _, err := fmt.Sscanf(e.Key().Name, "%d-%d", &g, &i); err != nil || string(e.Record().Body) != string(sibling(g, i)) {
			t.Fatalf("%v has another body", e.Key())
		}
	}
	if s.live.objects.Len() != perGeneration*generations || len(used) > maxDictionaries {
		t.Errorf("%d objects, packed with %d dictionaries", s.live.objects.Len(), len(used))
	}
}

// TestNoiseBesideSiblings: among bodies that pack, one that does not is kept as it
// came.
func TestNoiseBesideSiblings(t *testing.T) {
	s := New(Config{})
	s.arena.adopt(wire.NewDictionary(sibling(0, 0)), 0.1)
	noise := make([]byte, 500)
	random := rand.NewChaCha8([32]byte{1})
	if _, err := random.Read(noise); err != nil {
		t.Fatal(err)
	}
	odd := record(0, 1)
	odd.Body = noise
	for _, c := range []struct {
		rec    *wire.Record
		packed bool
	}{{record(0, 2), true}, {odd, false}} {
		e, _ := s.keep(c.rec)
		if got := e.header().flags&flagPacked != 0; got != c.packed || string(e.Record().Body) != string(c.rec.Body) {
			t.Errorf("%v packed: %v, want %v", c.rec.Key, got, c.packed)
		}
	}
}
