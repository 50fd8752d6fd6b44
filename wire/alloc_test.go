package wire

import (
	"bytes"
	"io"
	"testing"
)

// largeList is a list of pods of the size that clusters have.
func largeList(t testing.TB, enc Encoding, n int) []byte {
	list := testPods(n)
	for i := range list.Items {
		c := list.Items[i].Spec.Containers[0]
		for range 20 {
			c.Args = append(c.Args, "--some-argument-of-a-container=with-a-value-that-is-not-short")
		}
		for range 2 {
			list.Items[i].Spec.Containers = append(list.Items[i].Spec.Containers, c)
		}
	}
	return encode(t, enc, list)
}

// TestAllocations gates what reading costs: one string for the names of a
// record, and chunks that hold little more than the bytes.
func TestAllocations(t *testing.T) {
	const n = 500
	for _, enc := range bothEncodings {
		body := largeList(t, enc, n)
		r := bytes.NewReader(body)
		read := func() {
			r.Reset(body)
			l := NewListReader(r, enc, podOptions)
			for {
				if _, err := l.Next(); err == io.EOF {
					return
				}
			}
		}
		perRecord := testing.AllocsPerRun(10, read) / n
		perByte := float64(allocated(read)) / float64(len(body))
		t.Logf("%v: %.3f allocations and %.2f bytes for a byte of %d", enc, perRecord, perByte, len(body)/n)
		if perRecord > 1.15 {
			t.Errorf("%v: %.3f allocations for a record, want one and a share of a chunk", enc, perRecord)
		}
		if perByte > 1.2 {
			t.Errorf("%v: %.2f bytes allocated for one read", enc, perByte)
		}
	}
}

func BenchmarkList(b *testing.B) {
	for _, enc := range bothEncodings {
		b.Run(enc.String(), func(b *testing.B) {
			body := largeList(b, enc, 500)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			r := bytes.NewReader(body)
			for b.Loop() {
				r.Reset(body)
				l := NewListReader(r, enc, podOptions)
				for {
					if _, err := l.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
