package wire

import (
	"bytes"
	"io"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestReleasedMemory checks that the memory of a released record is reused, and that an
// unreleased record is not overwritten, whatever happens to the records around it.
func TestReleasedMemory(t *testing.T) {
	n := testinput.Size(t, 1500, 2000)
	for _, enc := range allEncodings {
		body := largeList(t, enc, n)
		var kept []Record
		var want [][]byte
		pass := func(keep int) {
			l := NewListReader(bytes.NewReader(body), enc, podOptions)
			for i := 0; ; i++ {
				rec, err := l.Next()
				if err == io.EOF {
					if m, want := l.Meta(), (ListMeta{Version: 5000, Continue: "next", Remaining: 7}); m != want {
						t.Fatalf("%v: got list metadata %+v, want %+v", enc, m, want)
					}
					return
				} else if err != nil {
					t.Fatal(err)
				}
				if keep > 0 && i%keep == 0 {
					kept, want = append(kept, rec), append(want, bytes.Clone(rec.Body))
					continue
				}
				rec.Release()
				if rec.Body != nil {
					t.Fatal("a released record still has its body")
				}
				rec.Release() // a second Release does nothing
			}
		}
		pass(97)
		perRecord := testing.AllocsPerRun(3, func() { pass(0) }) / float64(n)
		perByte := float64(allocated(func() { pass(0) })) / float64(len(body))
		if perRecord > 1.1 {
			t.Errorf("%v: got %.3f allocations per record, want one for its names", enc, perRecord)
		}
		for i := range kept {
			if !bytes.Equal(kept[i].Body, want[i]) {
				t.Fatalf("%v: record %d was overwritten", enc, i)
			}
		}
		if perByte > 0.6 { // the pool drops chunks under the race detector
			t.Errorf("%v: got %.2f allocated bytes per read byte, although all records were released", enc, perByte)
		}
	}
}
