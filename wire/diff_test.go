package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/wire"
)

// TestDiffRoundTrip: what is patched is what was compared, whatever the base is, and
// it never grows by more than is promised.
func TestDiffRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, src := text(t, "base"), text(t, "src")
		if rapid.Bool().Draw(t, "related") { // the same but for a few places
			src = bytes.Clone(base)
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				at := rapid.IntRange(0, len(src)).Draw(t, "at")
				end := min(len(src), at+rapid.IntRange(0, 30).Draw(t, "cut"))
				src = append(append(bytes.Clone(src[:at]), text(t, "put")...), src[end:]...)
			}
		}
		packed := wire.Diff([]byte("before"), base, src)
		if !bytes.HasPrefix(packed, []byte("before")) {
			t.Fatal("Diff has changed what stood in dst")
		}
		packed = packed[len("before"):]
		if most := len(src) + len(src)/64 + 16; len(packed) > most {
			t.Fatalf("%d bytes became %d, more than %d", len(src), len(packed), most)
		}
		got, err := wire.Patch([]byte("before"), base, packed, len(src))
		if err != nil || string(got) != "before"+string(src) {
			t.Fatalf("%q became %q, %v", src, got, err)
		}
		if _, err := wire.Patch(nil, base, packed, len(src)+1); err == nil {
			t.Fatal("patched less than was asked for")
		}
	})
}

// TestDiffSizes: what is kept of a body is what differs, wherever that is, also in
// bodies of any size.
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
		"the same":             {body(100), body(100), 8},
		"a value":              {body(100, condition(1)), body(100, condition(2)), 20},
		"two values":           {body(100, condition(1), condition(1)), body(100, condition(2), condition(3)), 30},
		"a part that is new":   {body(100, condition(1)), body(100, condition(2), `{"new":"Complete"}`, condition(2)), 60},
		"a part that is gone":  {body(100, condition(1), condition(2)), body(100, condition(2)), 30},
		"a large body":         {body(10_000, condition(1)), body(10_000, condition(2)), 20},
		"a large body, longer": {body(10_000, condition(1)), body(10_000, condition(2), condition(3)), 40},
		"from nothing":         {nil, []byte("abc"), 10},
	} {
		packed := wire.Diff(nil, c.base, c.src)
		got, err := wire.Patch(nil, c.base, packed, len(c.src))
		if err != nil || !bytes.Equal(got, c.src) {
			t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(c.src))
		}
		if len(packed) > c.most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(packed), c.most)
		}
	}
}

// TestDiffAllocates: nothing, into a buffer that has room.
func TestDiffAllocates(t *testing.T) {
	base, src := bytes.Repeat([]byte("0123456789,"), 500), bytes.Repeat([]byte("0123456789;"), 500)
	var dst []byte
	if n := testing.AllocsPerRun(100, func() { dst = wire.Diff(dst[:0], base, src) }); n > 0 {
		t.Errorf("%v allocations", n)
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
				dst = wire.Diff(dst[:0], base, src)
			}
			b.ReportMetric(float64(len(dst)), "B")
		})
	}
}
