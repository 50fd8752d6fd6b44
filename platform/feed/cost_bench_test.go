package feed_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// filled returns a database with 5,000 transitions of 100 objects that wait in the outbox.
func filled(b *testing.B, kind string) *modeltest.Database {
	b.Helper()
	url, err := dbtest.New(b.Context(), kind, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	d := modeltest.Open(b, url)
	for v := range wire.Version(50) {
		var some []modeltest.Revision
		for i := range 100 {
			some = append(some, change(string(rune('A'+i)), v+1))
		}
		if err := d.Write(b.Context(), some); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// report reports the time per transition for n transitions: wall-clock time, and CPU time
// of this process.
func report(b *testing.B, n int, cpu time.Duration) {
	b.Helper()
	if n != 5000*b.N {
		b.Fatalf("%d transitions in %d rounds", n, b.N)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(n), "us/transition")
	b.ReportMetric(float64(cpu.Nanoseconds())/1000/float64(n), "us-CPU/transition")
}

// BenchmarkSequence measures the numbering of transitions.
func BenchmarkSequence(b *testing.B) {
	for _, kind := range dbtest.Kinds() {
		b.Run(kind, func(b *testing.B) {
			n, cpu := 0, time.Duration(0)
			for range b.N {
				b.StopTimer()
				d := filled(b, kind)
				b.StartTimer()
				began := oscompat.CPUTime()
				numbered, err := feed.Sequence(b.Context(), d.DB)
				if err != nil {
					b.Fatal(err)
				}
				n, cpu = n+numbered, cpu+oscompat.CPUTime()-began
			}
			report(b, n, cpu)
		})
	}
}

// BenchmarkRead measures reading transitions with their objects and labels.
func BenchmarkRead(b *testing.B) {
	for _, kind := range dbtest.Kinds() {
		b.Run(kind, func(b *testing.B) {
			d, n := filled(b, kind), 0
			if _, err := feed.Sequence(b.Context(), d.DB); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			began := oscompat.CPUTime()
			for range b.N {
				for _, err := range feed.Read(b.Context(), d.DB, 0) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
			report(b, n, oscompat.CPUTime()-began)
		})
	}
}
