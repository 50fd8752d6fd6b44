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

// TestDiffRoundTrip checks that Patch reverses Diff for any base, and that the size stays
// within the documented bound.
func TestDiffRoundTrip(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		base, src := text(t, "base"), text(t, "src")
		if rapid.Bool().Draw(t, "related") { // base with a few edits
			src = bytes.Clone(base)
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				at := rapid.IntRange(0, len(src)).Draw(t, "at")
				end := min(len(src), at+rapid.IntRange(0, 30).Draw(t, "cut"))
				src = append(append(bytes.Clone(src[:at]), text(t, "put")...), src[end:]...)
			}
		}
		packed := pack.Diff([]byte("before"), base, src)
		if !bytes.HasPrefix(packed, []byte("before")) {
			t.Fatal("Diff changed the bytes that dst had")
		}
		packed = packed[len("before"):]
		if most := len(src) + len(src)/64 + 16; len(packed) > most {
			t.Fatalf("Diff of %d bytes: got %d bytes, want at most %d", len(src), len(packed), most)
		}
		got, err := pack.Patch([]byte("before"), base, packed, len(src))
		if err != nil || string(got) != "before"+string(src) {
			t.Fatalf("Patch: got %q, %v; want %q", got, err, src)
		}
		if _, err := pack.Patch(nil, base, packed, len(src)+1); err == nil {
			t.Fatal("Patch for one byte more: got no error")
		}
	})
}

// TestDiffSizes checks that only the bytes that differ are stored, wherever they are and
// however large the bodies are.
func TestDiffSizes(t *testing.T) {
	condition := func(at int) string {
		return fmt.Sprintf(`{"type":"Ready","status":"True","lastProbeTime":"2026-01-01T00:00:%02dZ"}`, at)
	}
	body := func(filler int, parts ...string) []byte {
		var lines strings.Builder
		for i := range filler {
			fmt.Fprintf(&lines, "%q:%d,", fmt.Sprint("setting-", i*7919%10007), i)
		}
		return []byte(`{"spec":{` + lines.String() + `"end":1},"status":[` + strings.Join(parts, ",") + `],"tail":{` + lines.String() + `"end":1}}`)
	}
	for name, c := range map[string]struct {
		base, src []byte
		most      int
	}{
		"equal":                {body(100), body(100), 8},
		"a value":              {body(100, condition(1)), body(100, condition(2)), 20},
		"two values":           {body(100, condition(1), condition(1)), body(100, condition(2), condition(3)), 30},
		"an added part":        {body(100, condition(1)), body(100, condition(2), `{"new":"Complete"}`, condition(2)), 60},
		"a removed part":       {body(100, condition(1), condition(2)), body(100, condition(2)), 30},
		"a large body":         {body(10_000, condition(1)), body(10_000, condition(2)), 20},
		"a large body, longer": {body(10_000, condition(1)), body(10_000, condition(2), condition(3)), 40},
		"from nothing":         {nil, []byte("abc"), 10},
	} {
		packed := pack.Diff(nil, c.base, c.src)
		got, err := pack.Patch(nil, c.base, packed, len(c.src))
		if err != nil || !bytes.Equal(got, c.src) {
			t.Errorf("%s: Patch: got %d bytes, %v; want %d bytes", name, len(got), err, len(c.src))
		}
		if len(packed) > c.most {
			t.Errorf("%s: got %d bytes, want at most %d", name, len(packed), c.most)
		}
	}
}

// TestDiffAllocatesNothing checks Diff into a buffer that has room.
func TestDiffAllocatesNothing(t *testing.T) {
	base, src := bytes.Repeat([]byte("0123456789,"), 500), bytes.Repeat([]byte("0123456789;"), 500)
	var dst []byte
	if n := testing.AllocsPerRun(100, func() { dst = pack.Diff(dst[:0], base, src) }); n > 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkDiff(b *testing.B) {
	body := func(at int, more string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"name":"pod","time":"%010d"},"spec":{%s},"status":{"at":"%010d"%s},"end":true}`, at, strings.Repeat(`"name-of-a-field":"its value",`, 250), at*7, more)
	}
	base := body(1, "")
	for name, src := range map[string][]byte{"values": body(2, ""), "parts": body(2, `,"condition":{"type":"Complete"}`)} {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			for b.Loop() {
				dst = pack.Diff(dst[:0], base, src)
			}
			b.ReportMetric(float64(len(dst)), "B")
		})
	}
}
