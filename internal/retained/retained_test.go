package retained_test

import (
	"runtime"
	"testing"

	"github.com/vedette-io/vedette/internal/retained"
)

var earlier, others [][]byte

// TestBytes: only what the work keeps counts, also if memory of others is allocated or becomes
// free meanwhile.
func TestBytes(t *testing.T) {
	const size, n = 4096, 1000
	for range 10 * n {
		earlier = append(earlier, make([]byte, size))
	}
	got := retained.Bytes(t, func() any {
		kept := make([][]byte, n)
		for i := range kept {
			kept[i] = make([]byte, size)
			runtime.KeepAlive(make([]byte, size*2)) // garbage
		}
		earlier = nil
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range n {
				others = append(others, make([]byte, size))
			}
		}()
		<-done
		return kept
	})
	if want := n * (size + 24); got < want || got > want+want/20 {
		t.Errorf("got %d bytes, want %d", got, want)
	}
}
