package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	clock "github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestMain makes the test binary act as server and contestant, like the program.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && (os.Args[1] == "serve" || os.Args[1] == "contest" || os.Args[1] == "program") {
		if err := run(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// gates are limits of bytes and allocations: 10% above the values at the time of the last
// change, with more room for figures that depend on when the collector runs. The limits
// of events are in the tests of the store, because their cost depends on the size of
// batches. Times have no limits, because machines differ.
var gates = []struct {
	name, kind, contestant string
	n                      int
	encoding               workload.Encoding
	most                   map[string]float64 // per object
}{
	{"pods", "pods", "vedette", 20_000, workload.Protobuf, map[string]float64{
		"live heap": 300, "allocated": 965, "allocations": 1.9, "peak": 900, // the growth of the process; the program itself grows with the compared libraries
	}},
	{"busy pods, 20 of each", "busy", "vedette", 20_000, workload.Protobuf, map[string]float64{"live heap": 500, "allocated": 1180}},
	{"busy pods, 3 of each", "busy-3", "vedette", 20_000, workload.Protobuf, map[string]float64{"live heap": 1020, "allocated": 1640}},
	{"busy pods, 1 of each", "busy-1", "vedette", 20_000, workload.Protobuf, map[string]float64{"live heap": 2020, "allocated": 2650}},
	{"busy pods, mixed", "busy-mixed", "vedette", 20_000, workload.Protobuf, map[string]float64{"live heap": 830, "allocated": 1880}},
	{"pods, unstructured", "pods", "vedette-unstructured", 10_000, workload.JSON, map[string]float64{
		"live heap": 330, "allocated": 1240, "allocations": 2.2,
	}},
	{"pods, live", "pods", "vedette-live", 5_000, workload.Protobuf, map[string]float64{
		"live heap": 6_000, "allocations": 64,
	}},
	{"busy pods, live", "busy", "vedette-live", 5_000, workload.Protobuf, map[string]float64{"live heap": 8_250}},
}

// TestGates fails if memory usage grows by 10%.
func TestGates(t *testing.T) {
	testinput.Uncached(t)
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			c, err := contest.Of(g.contestant)
			if err != nil {
				t.Fatal(err)
			}
			task := contest.Task{
				Contestant: g.contestant, Action: contest.Sync, Kinds: []string{g.kind}, N: g.n, Encoding: g.encoding,
				Mode: serve.Streaming, Timeout: 2 * time.Minute,
			}
			var stage scenario.Processes
			url, _, stop, err := stage.Serve(serve.Spec{Mode: serve.Streaming, Sets: []serve.SetSpec{
				{Kind: g.kind, N: g.n, Forms: []workload.Form{c.Form(g.encoding)}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			task.URL = url
			// The minimum of a few runs: the memory in use at the end of the list depends
			// on scheduling, and on a busy machine few runs come near the minimum.
			is := map[string]float64{}
			exceeds := func() bool {
				for name, most := range g.most {
					if is[name] > most {
						return true
					}
				}
				return false
			}
			for run := 0; run < 3 || run < 12 && exceeds(); run++ {
				if err := contest.Reset(url); err != nil {
					t.Fatal(err)
				}
				r, err := stage.Do(task)
				if err != nil {
					t.Fatal(err)
				}
				f, each := r.Figures, 1/float64(g.n)
				for name, v := range map[string]float64{
					"live heap": f[clock.Heap] * each, "allocated": f[clock.Alloc] * each, "allocations": f[clock.Allocs] * each,
					"peak": f[clock.PeakGrowth] * each,
				} {
					if run == 0 || v < is[name] {
						is[name] = v
					}
				}
			}
			for name, most := range g.most {
				t.Logf("%s: %.4g, limit %.4g", name, is[name], most)
				if is[name] > most {
					t.Errorf("%s of each is %.4g, limit %.4g: if this is worth it, change the limit and explain why", name, is[name], most)
				}
			}
		})
	}
}
