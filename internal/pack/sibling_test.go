package pack_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestPackAfterRoundTrip checks that UnpackAfter reverses PackAfter for any dictionary,
// sibling and prefix, and that the size stays within the bound of Pack.
func TestPackAfterRoundTrip(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		dict := pack.NewDictionary(text(t, "dictionary"))
		sibling, prefix, body, before := text(t, "sibling"), text(t, "prefix"), text(t, "body"), text(t, "before")
		packed := dict.PackAfter(before, sibling, prefix, body, nil)
		if !bytes.HasPrefix(packed, before) {
			t.Fatal("PackAfter changed the bytes that dst had")
		}
		packed = packed[len(before):]
		if most := len(body) + len(body)/64 + 16; len(packed) > most {
			t.Fatalf("PackAfter of %d bytes: got %d bytes, want at most %d", len(body), len(packed), most)
		}
		got, err := dict.UnpackAfter([]byte("before"), sibling, prefix, packed, len(body))
		if err != nil || string(got) != "before"+string(body) {
			t.Fatalf("UnpackAfter: got %q, %v; want %q", got, err, body)
		}
		for _, n := range []int{len(body) - 1, len(body) + 1} {
			if got, err := dict.UnpackAfter([]byte("before"), sibling, prefix, packed, n); n >= 0 && (err == nil || string(got) != "before") {
				t.Fatalf("UnpackAfter of %d bytes for %d: got %q and error %v, want an error", len(body), n, got, err)
			}
		}
	})
}

// digits returns n random hexadecimal digits.
func digits(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", r.IntN(16))
	}
	return b.String()
}

// TestPackAfter checks that a body takes its own values only, and its digits half a byte
// each.
func TestPackAfter(t *testing.T) {
	r := testinput.Rand(t)
	group := digits(r, 64)
	body := func(name string) []byte {
		return fmt.Appendf(nil, `{"name":%q,"image":"sha256:%s","env":%q,"container":"containerd://%s","node":"node-%d","ip":"10.0.%d.%d"}`,
			name, group, strings.Repeat("value of the group ", 20), digits(r, 64), r.IntN(100), r.IntN(256), r.IntN(256))
	}
	first, second := body("train-abcde"), body("train-fghij")
	empty := pack.NewDictionary(nil)
	packed := empty.PackAfter(nil, first, []byte("train-fghij"), second, nil)
	if most := 32 + 32; len(packed) > most {
		t.Errorf("got %d bytes, want at most %d: %q", len(packed), most, packed)
	}
	got, err := empty.UnpackAfter(nil, first, []byte("train-fghij"), packed, len(second))
	if err != nil || !bytes.Equal(got, second) {
		t.Errorf("UnpackAfter: got %q, %v; want %q", got, err, second)
	}
	if same := empty.PackAfter(nil, first, nil, first, nil); len(same) > 8 {
		t.Errorf("the sibling itself takes %d bytes", len(same))
	}
}

// TestPackAfterAllocatesNothing checks that both directions need no memory except dst.
func TestPackAfterAllocatesNothing(t *testing.T) {
	dict := pack.NewDictionary(bytes.Repeat([]byte("metadata of a pod, "), 100))
	body, name := bytes.Repeat([]byte("spec and metadata of a pod 0123456789abcdef "), 40), []byte("name")
	packed, out := make([]byte, 0, 2000), make([]byte, 0, 2000)
	if n := testing.AllocsPerRun(100, func() {
		packed = dict.PackAfter(packed[:0], body, name, body, nil)
		out, _ = dict.UnpackAfter(out[:0], body, name, packed, len(body))
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
	if !bytes.Equal(out, body) {
		t.Error("UnpackAfter returned another body")
	}
}

// FuzzUnpackAfter checks that damaged bytes give an error or at most the requested number
// of bytes.
func FuzzUnpackAfter(f *testing.F) {
	dict := pack.NewDictionary([]byte("the quick brown fox jumps over the lazy dog"))
	sibling := []byte("a slow brown fox of 0123456789abcdef0123")
	f.Add(dict.PackAfter(nil, sibling, []byte("name"), []byte("a slow brown name of 456789abcdef0123456789 jumps"), nil), []byte("name"), 49)
	f.Add([]byte{0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, []byte(nil), 100)
	f.Fuzz(func(t *testing.T, packed, prefix []byte, n int) {
		n = min(max(n, 0), 1<<16)
		out, err := dict.UnpackAfter(nil, sibling, prefix, packed, n)
		if err == nil && len(out) != n || cap(out) > 4*n+1024 {
			t.Fatalf("UnpackAfter: got %d bytes with a capacity of %d, want %d", len(out), cap(out), n)
		}
	})
}
