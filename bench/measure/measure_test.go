package measure

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

func TestMark(t *testing.T) {
	m, err := Begin()
	if err != nil {
		t.Fatal(err)
	}
	kept := make([][]byte, 0, 1000)
	for range cap(kept) {
		kept = append(kept, bytes.Repeat([]byte{1}, 10_000))
	}
	f, err := m.Times()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Memory(f); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(kept)
	if f[Heap] < 9e6 || f[Heap] > 20e6 || f[Alloc] < 9e6 || f[Allocs] < 1000 || f[Peak] < f[Heap] || f[Wall] <= 0 || f[CPU] < 0 {
		t.Errorf("%v", f)
	}
}

func TestLatency(t *testing.T) {
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(1000-i)*time.Millisecond)
	}
	f := Figures{}
	curve := Latency(all, f)
	if f[P50] < .49 || f[P50] > .51 || f[P99] < .98 || f[P99] > .995 || f[Max] != 1 || len(curve) != len(Shares) {
		t.Errorf("%v %v", f, curve)
	}
	if Latency(nil, f) != nil {
		t.Error("a curve without durations")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values              []float64
		median, least, most float64
	}{{nil, 0, 0, 0}, {[]float64{3}, 3, 3, 3}, {[]float64{9, 1, 2}, 2, 1, 9}, {[]float64{4, 1, 2, 9}, 3, 1, 9}} {
		if m, a, b := Median(c.values); m != c.median || a != c.least || b != c.most {
			t.Errorf("%v: %v %v %v", c.values, m, a, b)
		}
	}
}
