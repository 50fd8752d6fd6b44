package soak_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var soak = flag.Duration("soak", 0, "duration of TestSoak for each database, for example 30m; 0 skips it")

// TestSoak runs Jobs for a long time while the server and the database are killed,
// networks are cut and another recorder is killed, and checks that a recorder that runs
// all the time does not leak.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		return
	}
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{}, "jobs", "pods")
			s.Load.Brief = true
			listen := network.FreeAddress(t)
			one := s.Record(t, "one", "--listen", listen)
			s.Covered(t, "one")
			s.Load.MakeMarkers(t)
			two, since := s.Peer(t)
			g := &growth{s: s, pid: one.PID(), metrics: listen}
			var work sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			work.Go(func() { g.follow(ctx, t) })
			s.UnderLoad(t, int64(*soak/(150*time.Millisecond)), func() { injectFaults(t, s, two) })
			s.Settle(t, "one", "two")
			cancel()
			work.Wait()
			s.Compare(t, false)
			s.Closed(t, since)
			if one.Starts != 1 {
				t.Errorf("the recorder has ended by itself %d times", one.Starts-1)
			}
			g.check(t)
			one.Stop(t)
			two.Stop(t)
		})
	}
}

// injectFaults injects faults until the time is over.
func injectFaults(t *testing.T, s *stage.Stage, two *stage.Recorder) {
	t.Helper()
	all := []stage.Fault{s.ServerFault(t), s.DatabaseFault(t), stage.KillFault(t, two)}
	for _, m := range []network.Mode{network.Refuse, network.Reset, network.Stall, network.Drop} {
		all = append(all, stage.CutFault("API server", s.API, m))
		if s.DB != nil {
			all = append(all, stage.CutFault("database", s.DB, m))
		}
	}
	for end := time.Now().Add(*soak); time.Now().Before(end) && !t.Failed(); { // an input: the length of the soak
		<-time.After(time.Duration(2+s.Dice.IntN(10)) * time.Second) // an input: the pace of the disturbance
		one := all[s.Dice.IntN(len(all))]
		began := time.Now()
		one.Do()
		t.Logf("%s %s, for %v", began.Format(time.TimeOnly), one.Name, time.Since(began).Round(100*time.Millisecond))
	}
}

// growth samples the resource usage of a process.
type growth struct {
	s       *stage.Stage
	pid     int
	metrics string
	samples []sample
}

// sample is the resource usage of a process: bytes of memory, and counts.
type sample struct{ memory, files, threads, goroutines, connections int }

func (g *growth) follow(ctx context.Context, t *testing.T) {
	tick := time.NewTicker(time.Second) // an input: the pace of the samples
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s, err := g.look(ctx)
		if err != nil && ctx.Err() == nil {
			t.Errorf("resource usage of the recorder: %v", err)
			return
		}
		g.samples = append(g.samples, s)
	}
}

func (g *growth) look(ctx context.Context) (s sample, err error) {
	proc := filepath.Join("/proc", strconv.Itoa(g.pid))
	files, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return s, err
	}
	s.files = len(files)
	s.connections = connections(g.s)
	status, err := os.ReadFile(filepath.Join(proc, "status"))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "VmRSS:":
			s.memory, err = strconv.Atoi(fields[1])
			s.memory <<= 10
		case "Threads:":
			s.threads, err = strconv.Atoi(fields[1])
		}
	}
	return s, errors.Join(err, g.goroutines(ctx, &s.goroutines))
}

// connections returns the number of connections to the database through the network:
// those of one recorder, and cut ones.
func connections(s *stage.Stage) int {
	if s.DB == nil {
		return 0
	}
	return s.DB.Links()
}

// goroutines reads the number of goroutines from the metrics of the program.
func (g *growth) goroutines(ctx context.Context, n *int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+g.metrics+"/metrics", nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for scan := bufio.NewScanner(resp.Body); scan.Scan(); {
		if text, found := strings.CutPrefix(scan.Text(), "go_goroutines "); found {
			*n, err = strconv.Atoi(text)
		}
	}
	if *n == 0 {
		return errors.New("the metrics have no number of goroutines")
	}
	return err
}

// check fails if the last third of the samples is higher than the second.
func (g *growth) check(t *testing.T) {
	t.Helper()
	n := len(g.samples) / 3
	if n < 10 {
		t.Fatalf("only %d samples", len(g.samples))
	}
	for _, what := range []struct {
		name  string
		of    func(sample) int
		slack int
	}{
		{"bytes of memory", func(s sample) int { return s.memory }, 24 << 20},
		{"open files", func(s sample) int { return s.files }, 8},
		{"threads", func(s sample) int { return s.threads }, 4},
		{"goroutines", func(s sample) int { return s.goroutines }, 8},
		{"connections to the database", func(s sample) int { return s.connections }, 2},
	} {
		middle := func(samples []sample) int {
			var all []int
			for _, s := range samples {
				all = append(all, what.of(s))
			}
			slices.Sort(all)
			return all[len(all)/2]
		}
		before, after := middle(g.samples[n:2*n]), middle(g.samples[2*n:])
		text := fmt.Sprintf("%s: %d, and later %d", what.name, before, after)
		if after > before+before/10+what.slack {
			t.Error(text)
		} else {
			t.Log(text)
		}
	}
}
