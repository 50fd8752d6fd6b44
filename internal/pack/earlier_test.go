package pack_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestPackLikeRoundTrip checks that a body is packed correctly like any other one, with and
// without a sibling, and that the size stays within the bound of Pack.
func TestPackLikeRoundTrip(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		dict := pack.NewDictionary(text(t, "dictionary"))
		sibling, prefix, before, body := text(t, "sibling"), text(t, "prefix"), text(t, "earlier"), text(t, "body")
		if rapid.Bool().Draw(t, "changed") { // in one place, and by a few bytes
			body = bytes.Clone(before)
			at := rapid.IntRange(0, len(body)).Draw(t, "at")
			body = append(append(body[:at:at], text(t, "insertion")...), before[min(at+rapid.IntRange(0, 9).Draw(t, "deleted"), len(before)):]...)
		}
		most := len(body) + len(body)/64 + 16
		packed := dict.PackLike(nil, prefix, body, dict.Pack(nil, prefix, before))
		if got, err := dict.Unpack(nil, prefix, packed, len(body)); err != nil || !bytes.Equal(got, body) || len(packed) > most {
			t.Fatalf("PackLike: got %q, %v, from %d bytes; want %q from at most %d", got, err, len(packed), body, most)
		}
		packed = dict.PackAfter(nil, sibling, prefix, body, dict.PackAfter(nil, sibling, prefix, before, nil))
		if got, err := dict.UnpackAfter(nil, sibling, prefix, packed, len(body)); err != nil || !bytes.Equal(got, body) || len(packed) > most {
			t.Fatalf("PackAfter: got %q, %v, from %d bytes; want %q from at most %d", got, err, len(packed), body, most)
		}
	})
}

// TestPackLikeKeepsItsSize checks that bodies that are packed like each other, one after
// another, do not take more and more bytes while the object changes.
func TestPackLikeKeepsItsSize(t *testing.T) {
	r := testinput.Rand(t)
	fields := make([]string, 60)
	change := func(i int) {
		switch r.IntN(4) {
		case 0:
			fields[i] = fmt.Sprintf(`{"condition":"Ready","since":"2026-11-%02dT%02d:00:00Z"}`, 1+r.IntN(28), r.IntN(24))
		case 1:
			fields[i] = fmt.Sprintf(`{"image":"sha256:%s"}`, digits(r, 64))
		case 2:
			fields[i] = strings.Repeat(`"a":"b",`, r.IntN(5))
		default:
			fields[i] = fmt.Sprintf(`{"restarts":%d,"node":"node-%d"}`, r.IntN(1<<(1+r.IntN(20))), r.IntN(1000))
		}
	}
	body := func() []byte { return []byte(strings.Join(fields, ",")) }
	for i := range fields {
		change(i)
	}
	dict, sibling := pack.NewDictionary(body()), body()
	for i := range fields {
		change(i)
	}
	like, likeAfter := dict.Pack(nil, nil, body()), dict.PackAfter(nil, sibling, nil, body(), nil)
	total, alone := 0, 0
	for range 2000 {
		change(r.IntN(len(fields)))
		b := body()
		like, likeAfter = dict.PackLike(nil, nil, b, like), dict.PackAfter(nil, sibling, nil, b, likeAfter)
		total += len(like) + len(likeAfter)
		alone += len(dict.Pack(nil, nil, b)) + len(dict.PackAfter(nil, sibling, nil, b, nil))
	}
	if ratio := float64(total) / float64(alone); ratio > 1.1 {
		t.Errorf("got %d bytes, and %d without the earlier bodies", total, alone)
	} else {
		t.Logf("%.3f of the bytes without the earlier bodies", ratio)
	}
}

// TestPackLikeAllocatesNothing checks that the earlier body costs no memory.
func TestPackLikeAllocatesNothing(t *testing.T) {
	dict := pack.NewDictionary(bytes.Repeat([]byte("metadata of a pod, "), 100))
	body := bytes.Repeat([]byte("spec and metadata of a pod 0123456789abcdef "), 40)
	like, packed := dict.Pack(nil, nil, body), make([]byte, 0, 3000)
	if n := testing.AllocsPerRun(100, func() { packed = dict.PackLike(packed[:0], nil, body, like) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// FuzzPackLike checks that no earlier body, damaged or not, damages the next one.
func FuzzPackLike(f *testing.F) {
	dict := pack.NewDictionary([]byte("the quick brown fox jumps over the lazy dog"))
	sibling, prefix := []byte("a slow brown fox of 0123456789abcdef0123"), []byte("name")
	body := []byte("a slow brown name of 456789abcdef0123456789 jumps over the lazy dog")
	f.Add(body, dict.PackAfter(nil, sibling, prefix, body, nil))
	f.Add(body, dict.Pack(nil, prefix, body))
	f.Add(body, []byte{0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add(body, []byte{0x78, 0x05, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})
	f.Fuzz(func(t *testing.T, body, like []byte) {
		packed := dict.PackLike(nil, prefix, body, like)
		if got, err := dict.Unpack(nil, prefix, packed, len(body)); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("PackLike: got %q, %v; want %q", got, err, body)
		}
		packed = dict.PackAfter(nil, sibling, prefix, body, like)
		if got, err := dict.UnpackAfter(nil, sibling, prefix, packed, len(body)); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("PackAfter: got %q, %v; want %q", got, err, body)
		}
	})
}
