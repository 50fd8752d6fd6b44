package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/wire"
)

// TestTrain: a dictionary is the same whether it was made at once or piece by
// piece, stays within its size, and leaves out what it has already.
func TestTrain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := text(t, "before")
		var bodies [][]byte
		for i := range rapid.IntRange(0, 6).Draw(t, "bodies") {
			bodies = append(bodies, text(t, fmt.Sprint("body ", i)))
		}
		size := rapid.IntRange(0, 2000).Draw(t, "size")
		dict := wire.Train(before, bodies, size)
		if len(dict.Text()) > size {
			t.Fatalf("%d bytes, want %d at most", len(dict.Text()), size)
		}
		body := text(t, "body")
		if got, want := dict.Pack(nil, nil, body), wire.NewDictionary(dict.Text()).Pack(nil, nil, body); !bytes.Equal(got, want) {
			t.Fatalf("packed %q, a dictionary of the same text packs %q", got, want)
		}
	})
	var common strings.Builder
	for i := range 100 {
		fmt.Fprintf(&common, "field-%d: %d\n", i*i, i*7919)
	}
	like := func(i int) []byte { return fmt.Appendf(nil, "%d%s", i, common.String()) }
	if n := len(wire.Train(nil, [][]byte{like(1), like(2), like(3)}, 1<<16).Text()); n != len(like(1)) {
		t.Errorf("%d bytes of three that are alike, want those of one", n)
	}
}
