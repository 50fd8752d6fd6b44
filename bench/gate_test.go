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
)

// TestMain lets the test start itself as server and contestant, as the program
// does.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && (os.Args[1] == "serve" || os.Args[1] == "contest") {
		if err := run(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// gates are what bytes and allocations may be: a tenth more than what they were
// when they were last looked at, but for what depends on when the collector runs,
// which has more room. Events have theirs in the tests of the store, as what one costs
// depends on how many come at once. Times are no gates: machines differ.
var gates = []struct {
	name, kind, contestant string
	n                      int
	encoding               workload.Encoding
	most                   map[string]float64 // for each object
}{
	{"pods", "pods", "vedette", 20_000, workload.Protobuf, map[string]float64{
		"live heap": 497, "allocated": 1300, "allocations": 2.65, "peak over live": 2.5, // of what the process has grown; the program itself grows with what is compared
	}},
	{"pods, unstructured", "pods", "vedette-unstructured", 10_000, workload.JSON, map[string]float64{
		"live heap": 556, "allocated": 1500, "allocations": 3.05,
	}},
	{"pods, live", "pods", "vedette-live", 5_000, workload.Protobuf, map[string]float64{
		"live heap": 11_600, "allocations": 64,
	}},
}

// TestGates fails when something costs a tenth more memory than it did.
func TestGates(t *testing.T) {
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
			// The least of a few runs: what is on its way when the list is whole depends
			// on who ran when.
			is := map[string]float64{}
			for run := range 3 {
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
					"peak over live": f[clock.PeakGrowth] / max(f[clock.Heap], 1),
				} {
					if run == 0 || v < is[name] {
						is[name] = v
					}
				}
			}
			for name, most := range g.most {
				t.Logf("%s: %.4g, may be %.4g", name, is[name], most)
				if is[name] > most {
					t.Errorf("%s of each is %.4g, may be %.4g: if that is worth it, say so where you change the gate", name, is[name], most)
				}
			}
		})
	}
}
