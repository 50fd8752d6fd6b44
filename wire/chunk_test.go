package wire

import (
	"bytes"
	"io"
	"testing"
)

// TestReleasedMemory: a released record's memory is used again, and one that was
// not released is nobody else's, whatever happened to those around it.
func TestReleasedMemory(t *testing.T) {
	const n = 2000
	for _, enc := range allEncodings {
		body := largeList(t, enc, n)
		var kept []Record
		var want [][]byte
		pass := func(keep int) {
			l := NewListReader(bytes.NewReader(body), enc, podOptions)
			for i := 0; ; i++ {
				rec, err := l.Next()
				if err == io.EOF {
					if m, want := l.Meta(), (ListMeta{5000, "next", 7}); m != want {
						t.Fatalf("%v: the list says %+v of itself, want %+v", enc, m, want)
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
				rec.Release() // of what was given back, nothing is given back again
			}
		}
		pass(97)
		perRecord := testing.AllocsPerRun(5, func() { pass(0) }) / n
		perByte := float64(allocated(func() { pass(0) })) / float64(len(body))
		if perRecord > 1.1 {
			t.Errorf("%v: %.3f allocations for a record, want that of its names", enc, perRecord)
		}
		for i := range kept {
			if !bytes.Equal(kept[i].Body, want[i]) {
				t.Fatalf("%v: record %d was overwritten", enc, i)
			}
		}
		if perByte > 0.6 { // the race detector makes the pool forget
			t.Errorf("%v: %.2f bytes allocated for one read, though all were given back", enc, perByte)
		}
	}
}
