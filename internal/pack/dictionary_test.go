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

// TestTrain checks that Train and NewDictionary make equal dictionaries of a text, that a
// dictionary stays within its size, and that Train leaves out similar bodies.
func TestTrain(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		before := text(t, "before")
		var bodies [][]byte
		for i := range rapid.IntRange(0, 6).Draw(t, "bodies") {
			bodies = append(bodies, text(t, fmt.Sprint("body ", i)))
		}
		size := rapid.IntRange(0, 2000).Draw(t, "size")
		dict := pack.Train(before, bodies, size)
		if len(dict.Text()) > size {
			t.Fatalf("got a dictionary of %d bytes, want at most %d", len(dict.Text()), size)
		}
		body := text(t, "body")
		if got, want := dict.Pack(nil, nil, body), pack.NewDictionary(dict.Text()).Pack(nil, nil, body); !bytes.Equal(got, want) {
			t.Fatalf("Pack: got %q, want %q as with NewDictionary of the same text", got, want)
		}
	})
	var common strings.Builder
	for i := range 100 {
		fmt.Fprintf(&common, "field-%d: %d\n", i*i, i*7919)
	}
	similar := func(i int) []byte { return fmt.Appendf(nil, "%d%s", i, common.String()) }
	if n := len(pack.Train(nil, [][]byte{similar(1), similar(2), similar(3)}, 1<<16).Text()); n != len(similar(1)) {
		t.Errorf("three similar bodies: got a dictionary of %d bytes, want the %d bytes of one", n, len(similar(1)))
	}
}
