package jobindex_test

import (
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/world/indextest"
)

// jobsOfBenchmarks is the number of jobs in benchmarks.
const jobsOfBenchmarks = 1_000_000

// worldTime is the end of the history of benchmarks.
var worldTime = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// filled is the index that the benchmarks share.
var filled *jobindex.Index

func fill(b *testing.B) *jobindex.Index {
	if filled == nil {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := jobindex.New(jobindex.Config{})
		begun := time.Now()
		indextest.NewWorld(1, jobsOfBenchmarks, worldTime).Fill(x)
		took := time.Since(begun)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.Logf("filled in %v: %d bytes of heap per job, %d counted", took, (after.HeapAlloc-before.HeapAlloc)/jobsOfBenchmarks, x.Bytes()/jobsOfBenchmarks)
		filled = x
	}
	return filled
}

// percentiles runs f often, and reports its durations.
func percentiles(b *testing.B, f func()) {
	var all []time.Duration
	before := oscompat.CPUTime()
	for b.Loop() {
		begun := time.Now()
		f()
		all = append(all, time.Since(begun))
	}
	b.ReportMetric(float64((oscompat.CPUTime()-before).Microseconds())/1000/float64(len(all)), "cpu-ms")
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

func parse(b *testing.B, query string) jobfilter.Filter {
	q, err := url.ParseQuery(query)
	if err != nil {
		b.Fatal(err)
	}
	f, err := jobfilter.Parse(q)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkList lists a page and counts by state, with many filters and orders.
func BenchmarkList(b *testing.B) {
	for _, c := range []struct{ query, sort, at string }{
		{"", "", ""},
		{"window=24h", "", ""},
		{"state=Failed", "-since", ""},
		{"queue=queue-7&state=Running", "", ""},
		{"label=team=llm&owner=user-1*", "", ""},
		{"q=llama", "", ""},
		{"q=zzz", "", ""},
		{"name=*70b*00", "", ""},
		{"waited=>30m", "-waited", ""},
		{"ran=<10m&tries=>1", "ran", ""},
		{"", "name", ""},
		{"", "-owner", ""},
		{"", "queue", ""},
		{"", "-gpus", ""},
		{"reason=OOM*", "-since", ""},
		{"label=controller-uid=0*", "", ""},
		{"submitted=>7d&gpus=>8", "state", ""},
		{"", "", "1h"},
		{"", "", "360h"},
		{"state=Running", "-waited", "360h"},
		{"window=24h&namespace=team-llm*", "-since", "24h"},
	} {
		b.Run(fmt.Sprintf("%s,%s,%s", c.query, c.sort, c.at), func(b *testing.B) {
			x := fill(b)
			q := jobindex.Query{Filter: parse(b, c.query), Sort: c.sort}
			if c.at != "" {
				d, _ := time.ParseDuration(c.at)
				q.At = worldTime.Add(-d)
			}
			percentiles(b, func() {
				err := x.ViewAt(worldTime, func(v *jobindex.View) error {
					_, _, err := v.List(q)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkSuggest suggests values.
func BenchmarkSuggest(b *testing.B) {
	for _, key := range []string{"owner", "label", "name", "namespace", "reason"} {
		b.Run(key, func(b *testing.B) {
			x := fill(b)
			percentiles(b, func() {
				_ = x.ViewAt(worldTime, func(v *jobindex.View) error {
					v.Suggest(jobindex.Query{}, key, "a", 10)
					return nil
				})
			})
		})
	}
}

// BenchmarkEach builds the rows of all jobs.
func BenchmarkEach(b *testing.B) {
	x := fill(b)
	percentiles(b, func() {
		_ = x.ViewAt(worldTime, func(v *jobindex.View) error {
			v.Each(jobindex.Query{}, func(*jobindex.Row) bool { return true })
			return nil
		})
	})
}

// BenchmarkBrief builds the rows of all jobs without lives and labels.
func BenchmarkBrief(b *testing.B) {
	x := fill(b)
	percentiles(b, func() {
		_ = x.ViewAt(worldTime, func(v *jobindex.View) error {
			v.Each(jobindex.Query{Brief: true}, func(*jobindex.Row) bool { return true })
			return nil
		})
	})
}

// BenchmarkChange lists while 500 transitions a second are applied.
func BenchmarkChange(b *testing.B) {
	x := fill(b)
	world := indextest.NewWorld(2, jobsOfBenchmarks, worldTime)
	var jobs []jobindex.Job
	for i := range 1000 {
		jobs = append(jobs, world.Job(i))
	}
	stop, ended := make(chan struct{}), make(chan []time.Duration)
	go func() {
		var all []time.Duration
		ticker := time.NewTicker(40 * time.Millisecond) // an input: the pace of the writer
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case at := <-ticker.C:
				for i := range 20 {
					k := (20*n + i) % len(jobs)
					jobs[k] = indextest.Next(jobs[k], at)
				}
				k := 20 * n % len(jobs)
				x.Put(jobs[k : k+20])
				all = append(all, time.Since(at))
			case <-stop:
				ended <- all
				return
			}
		}
	}()
	percentiles(b, func() {
		_ = x.View(func(v *jobindex.View) error {
			_, _, err := v.List(jobindex.Query{})
			return err
		})
	})
	close(stop)
	if all := <-ended; len(all) > 0 {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "applied-p99-ms")
	}
	filled = nil
}
