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

// text draws bytes with many repetitions, like a body.
func text(t *rapid.T, name string) []byte {
	words := []string{"a", "spec", "metadata", "\x00\x01", strings.Repeat("x", 40), "containers-of-the-pod", "0123456789abcdef0123456789abcdef"}
	return []byte(strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(words), rapid.StringN(0, 20, 60)), 0, 60).Draw(t, name), ""))
}

// TestPackRoundTrip checks that Unpack reverses Pack for any dictionary and prefix, and
// that the size stays within the documented bound.
func TestPackRoundTrip(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		dict := pack.NewDictionary(text(t, "dictionary"))
		prefix, body, before := text(t, "prefix"), text(t, "body"), text(t, "before")
		packed := dict.Pack(before, prefix, body)
		if !bytes.HasPrefix(packed, before) {
			t.Fatal("Pack changed the bytes that dst had")
		}
		packed = packed[len(before):]
		if most := len(body) + len(body)/64 + 16; len(packed) > most {
			t.Fatalf("Pack of %d bytes: got %d bytes, want at most %d", len(body), len(packed), most)
		}
		got, err := dict.Unpack([]byte("before"), prefix, packed, len(body))
		if err != nil || string(got) != "before"+string(body) {
			t.Fatalf("Unpack: got %q, %v; want %q", got, err, body)
		}
		if len(body) > 0 {
			if _, err := dict.Unpack(nil, prefix, packed, len(body)-1); err == nil {
				t.Fatal("Unpack for one byte less: got no error")
			}
		}
		if _, err := dict.Unpack(nil, prefix, packed, len(body)+1); err == nil {
			t.Fatal("Unpack for one byte more: got no error")
		}
	})
}

// TestPackSiblings checks that only the differences from a similar object are stored,
// wherever the common bytes are.
func TestPackSiblings(t *testing.T) {
	sibling := func(i int) []byte {
		return fmt.Appendf(nil, `{"name":"train-%d","spec":{%s},"node":"node-%d","end":%q}`, i, strings.Repeat(`"a":"b",`, 50), i*7, strings.Repeat("z", 30))
	}
	unique := []byte(strings.Repeat("0123456789abcdefghijklmnopqrstuv", 1)) // 32 bytes without a repetition
	for name, c := range map[string]struct {
		dict, prefix, body []byte
		most               int
	}{
		"in the dictionary":    {sibling(1), nil, sibling(2), 40},
		"in the prefix":        {nil, unique, append([]byte("x"), unique...), 8},
		"in the body":          {nil, nil, bytes.Repeat(unique, 100), 48},
		"longer name":          {sibling(1), nil, sibling(1000), 50},
		"nowhere":              {nil, nil, unique, 40},
		"a large dictionary":   {append(bytes.Repeat([]byte("q"), 80000), sibling(1)...), nil, sibling(2), 40},
		"a body beyond 16 bit": {sibling(3), nil, append(bytes.Repeat([]byte("r"), 70000), sibling(3)...), 24},
	} {
		packed := pack.NewDictionary(c.dict).Pack(nil, c.prefix, c.body)
		if len(packed) > c.most {
			t.Errorf("%s: Pack of %d bytes: got %d bytes, want at most %d", name, len(c.body), len(packed), c.most)
		}
		got, err := pack.NewDictionary(c.dict).Unpack(nil, c.prefix, packed, len(c.body))
		if err != nil || !bytes.Equal(got, c.body) {
			t.Errorf("%s: Unpack: got another body, %v", name, err)
		}
	}
}

// TestPackAllocatesNothing checks that both directions need no memory except dst.
func TestPackAllocatesNothing(t *testing.T) {
	dict := pack.NewDictionary(bytes.Repeat([]byte("metadata of a pod, "), 100))
	body, name := bytes.Repeat([]byte("spec and metadata of a pod "), 40), []byte("name")
	packed, out := make([]byte, 0, 2000), make([]byte, 0, 2000)
	if n := testing.AllocsPerRun(100, func() {
		packed = dict.Pack(packed[:0], name, body)
		out, _ = dict.Unpack(out[:0], name, packed, len(body))
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
	if !bytes.Equal(out, body) {
		t.Error("Unpack returned another body")
	}
}

// FuzzUnpack checks that damaged bytes give an error or at most the requested number of
// bytes.
func FuzzUnpack(f *testing.F) {
	dict := pack.NewDictionary([]byte("the quick brown fox jumps over the lazy dog"))
	f.Add(dict.Pack(nil, []byte("name"), []byte("the quick brown name jumps over the name of the lazy dog")), []byte("name"), 52)
	f.Add([]byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, []byte(nil), 100)
	f.Fuzz(func(t *testing.T, packed, prefix []byte, n int) {
		n = min(max(n, 0), 1<<16)
		out, err := dict.Unpack(nil, prefix, packed, n)
		if err == nil && len(out) != n || cap(out) > 4*n+1024 {
			t.Fatalf("Unpack: got %d bytes with a capacity of %d, want %d", len(out), cap(out), n)
		}
		body := packed // any bytes can be a body
		again, err := dict.Unpack(nil, prefix, dict.Pack(nil, prefix, body), len(body))
		if err != nil || !bytes.Equal(again, body) {
			t.Fatalf("Unpack: got %q, %v; want %q", again, err, body)
		}
	})
}
