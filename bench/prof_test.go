package main

import (
	"os"
	"strconv"
	"testing"
	"time"
	"fmt"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/internal/dbtest"
)

func num(name string, d int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return d
}
func str(name string, d string) string {
	if s := os.Getenv(name); s != "" {
		return s
	}
	return d
}

func TestProf(t *testing.T) {
	defer dbtest.Stop()
	kind, n, events := str("KIND", "pods"), num("N", 5000), num("EVENTS", 30000)
	churn := workload.Churn{Sort: workload.Heartbeats, Events: events}
	var stage scenario.Processes
	url, _, stop, err := stage.Serve(serve.Spec{Mode: serve.Streaming, Sets: []serve.SetSpec{{Kind: kind, N: n, Forms: []workload.Form{{Encoding: workload.JSON}}, Churn: churn}}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	r, err := contest.Do(contest.Task{Contestant: str("WHO", "vedette"), Action: contest.Keep, Kinds: []string{kind}, N: n, Encoding: workload.JSON, Mode: serve.Streaming, Timeout: 5 * time.Minute, URL: url, Events: events, Database: str("DB", "sqlite"), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Figures
	fmt.Printf("%s %s %s: events %.0f/s cpu %.0f us server %.0f us stored %.0f B | list %.0f/s cpu %.0f us stored %.0f B heap %.0f B | peak %.0f MB gc %.0f%%\n",
		str("WHO", "vedette"), str("DB", "sqlite"), kind,
		f[contest.PerSecond], f[contest.PerEvent]*1e6, f[contest.ServerEach]*1e6, f[contest.StoredEach], f[contest.ListedPerSecond], f[contest.ListedEach]*1e6, f[contest.ListedStored], f[contest.HeapEach], f["peak"]/1e6, f["gc"]*100)
}
