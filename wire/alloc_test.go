package wire

import (
	"bytes"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// largeList returns a list of pods of a realistic size.
func largeList(t testing.TB, enc Encoding, n int) []byte {
	list := testPods(n)
	for i := range list.Items {
		list.Items[i].Generation, list.Items[i].CreationTimestamp = 7, metav1.Unix(1_700_000_000, 0)
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

// TestAllocations limits the cost of reading: one string for the names of a record, and
// chunks that hold little more than the bytes.
func TestAllocations(t *testing.T) {
	const n = 1000 // the first chunks are small
	for _, enc := range allEncodings {
		body := largeList(t, enc, n)
		r := bytes.NewReader(body)
		read := func() {
			r.Reset(body)
			l := NewListReader(r, enc, podOptions)
			for {
				if _, err := l.Next(); err == io.EOF {
					return
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		perRecord := testing.AllocsPerRun(10, read) / n
		perByte := float64(allocated(read)) / float64(len(body))
		t.Logf("%v: %.3f allocations and %.2f bytes for a byte of %d", enc, perRecord, perByte, len(body)/n)
		if perRecord > 1.2 {
			t.Errorf("%v: got %.3f allocations per record, want one and a share of those for a chunk", enc, perRecord)
		}
		if perByte > 1.2 {
			t.Errorf("%v: got %.2f allocated bytes per read byte", enc, perByte)
		}
	}
}

func BenchmarkList(b *testing.B) {
	for _, enc := range allEncodings {
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

// largePod returns one pod of largeList in both encodings.
func largePod(t testing.TB) (recs []Record) {
	for _, enc := range allEncodings {
		rec, err := NewListReader(bytes.NewReader(largeList(t, enc, 1)), enc, podOptions).Next()
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// costlyPaths are deeply nested fields, or fields whose text differs from their bytes.
var costlyPaths = map[string]float64{
	"spec.nodeName": 1, "metadata.labels.app": 1, "metadata.labels[*]": 2, "metadata.finalizers[*]": 1, "metadata.generation": 1, "metadata.creationTimestamp": 1, "spec.containers[*].name": 3,
	`spec.containers[?(@.name=="main")].image`: 3, "spec.priority": 0, "status.phase": 1, "spec.containers[*].args[*]": 66 + 6,
}

// TestFieldAllocations limits the allocations for reading a field: the strings, and
// nothing if the bytes suffice.
func TestFieldAllocations(t *testing.T) {
	for _, rec := range largePod(t) {
		for path, want := range costlyPaths {
			f, err := FieldOf[corev1.Pod](path)
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]string, 0, 100)
			if n := testing.AllocsPerRun(100, func() { dst = f.Append(dst[:0], rec) }); n > want {
				t.Errorf("%s in %v: got %v allocations, want %v", path, rec.Encoding, n, want)
			}
			n := 0
			count := func([]byte) bool { n++; return true }
			if a := testing.AllocsPerRun(100, func() { f.Each(rec, count) }); a > 0 {
				t.Errorf("%s in %v: got %v allocations without strings", path, rec.Encoding, a)
			}
		}
	}
}

func BenchmarkField(b *testing.B) {
	for _, rec := range largePod(b) {
		for _, path := range []string{"metadata.labels.app", "spec.nodeName", "status.phase"} {
			b.Run(rec.Encoding.String()+"/"+path, func(b *testing.B) {
				f, err := FieldOf[corev1.Pod](path)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(rec.Body)))
				dst := make([]string, 0, 1)
				for b.Loop() {
					dst = f.Append(dst[:0], rec)
				}
			})
		}
	}
}
