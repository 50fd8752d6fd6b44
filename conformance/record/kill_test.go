package record_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
)

var (
	kills  = flag.Int("kills", 4, "how many times each set of recorders is killed")
	jobs   = flag.Int64("jobs", 40, "number of batch Jobs that run meanwhile")
	outage = flag.Duration("outage", 3*time.Second, "duration of outages of the database; networks are cut for a third of it, but at least 2 seconds")
)

// TestKilled: while Jobs and their pods are created, changed and deleted, recorders, the
// API server and the database are killed, and the networks between them are cut. In the
// end the database has every revision of etcd once, in order, and nothing else; revisions
// that the server no longer had are in gaps.
func TestKilled(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{}, "jobs", "pods")
			var flags []string
			if kind != "postgres" { // one with, one without
				flags = []string{"--spill", t.TempDir()}
			}
			one := s.record(t, "one", flags...)
			s.covered(t, "one")
			s.load.makeMarkers(t)
			s.underLoad(t, *jobs/2, func() { s.alone(t, one) })
			s.settle(t, 3*time.Minute, "one")
			s.compare(t, true)
			t.Logf("%d starts of one recorder, %d of the API server", one.starts, len(s.restarts))
			if t.Failed() {
				return
			}
			s.plane.Resume()
			two, since := s.peer(t)
			s.underLoad(t, *jobs, func() { s.both(t, one, two) })
			s.settle(t, 3*time.Minute, "one", "two")
			s.compare(t, false)
			s.closed(t, since)
			t.Logf("%d starts of one recorder, %d of the other", one.starts, two.starts)
			one.stop(t)
			two.stop(t)
		})
	}
}

// underLoad calls do while Jobs run, and returns when all have finished and nothing
// changes.
func (s *stage) underLoad(t *testing.T, until int64, do func()) {
	t.Helper()
	ctx, quiet := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { s.load.submit(ctx, until, 150*time.Millisecond) })
	var churn sync.WaitGroup
	churning, enough := context.WithCancel(ctx)
	churn.Go(func() { s.load.churn(churning, 50*time.Millisecond) })
	do()
	work.Wait() // all Jobs are created
	enough()
	churn.Wait()
	quiet()
	s.load.resumeAll(t, 3*time.Minute)
	s.plane.Pause()
	s.awaitQuiet(t)
}

// awaitQuiet waits until nothing has changed for 2 s: the API server may still carry out
// requests that controllers sent before they were paused.
func (s *stage) awaitQuiet(t *testing.T) {
	t.Helper()
	seen, since := -1, time.Now()
	wait.Until(t, time.Minute, "nothing changes", func() string {
		n := 0
		for _, resource := range s.types {
			n += len(s.seen[resource].all())
		}
		if n != seen {
			seen, since = n, time.Now()
		}
		if time.Since(since) < 2*time.Second {
			return "the last change was at " + since.Format(time.TimeOnly)
		}
		return ""
	})
}

// fault is a fault to inject.
type fault struct {
	name string
	do   func()
}

// alone injects faults into one recorder, the server and the database.
func (s *stage) alone(t *testing.T, one *recorder) {
	t.Helper()
	var faults []fault
	for range *kills {
		faults = append(faults, killFault(t, one))
	}
	faults = append(faults, s.databaseFault(t))
	for _, m := range []network.Mode{network.Refuse, network.Reset, network.Stall, network.Drop} {
		faults = append(faults, cutFault("API server", s.api, m))
		if s.db != nil {
			faults = append(faults, cutFault("database", s.db, m))
		}
	}
	shuffled(t, faults)
	if s.db != nil { // while no goroutine waits for an answer
		shuffled(t, []fault{cutFault("database", s.db, network.Drop)})
	}
	s.settle(t, 3*time.Minute, "one") // so far the server had the whole history
	faults = []fault{s.serverFault(t), s.serverFault(t), cutFault("API server", s.api, network.Reset)}
	for range *kills / 3 {
		faults = append(faults, killFault(t, one))
	}
	shuffled(t, faults)
}

func killFault(t *testing.T, r *recorder) fault {
	return fault{"kill " + r.name, func() { r.kill(); r.launch(t) }}
}

func (s *stage) serverFault(t *testing.T) fault {
	return fault{"restart the API server", func() { s.restartAPIServer(t) }}
}

func (s *stage) databaseFault(t *testing.T) fault {
	return fault{"stop the database", func() { s.stopDatabase(t, *outage) }}
}

func cutFault(from string, p *network.Proxy, m network.Mode) fault {
	return fault{fmt.Sprintf("the network to the %s is %v", from, m), func() { cut(p, m, max(*outage/3, 2*time.Second)) }}
}

// shuffled injects all faults in random order, with pauses.
func shuffled(t *testing.T, faults []fault) {
	t.Helper()
	rand.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for _, f := range faults {
		<-time.After(time.Duration(200+rand.IntN(2000)) * time.Millisecond)
		began := time.Now()
		f.do()
		t.Logf("%s %s, for %v", began.Format("15:04:05.0"), f.name, time.Since(began).Round(100*time.Millisecond))
		if t.Failed() {
			return
		}
	}
}

// peer starts a second recorder, at its own API server, over networks without faults. It
// returns when that recorder follows, and the version from which it does.
func (s *stage) peer(t *testing.T) (two *recorder, since int64) {
	t.Helper()
	from, err := s.plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.plane.AddAPIServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two = startRecorder(t, s.program, kubeconfig(t, p.RESTConfig(), ""), "two", "jobs,pods", "-A", "--db", s.url)
	wait.Until(t, time.Minute, "two follows", func() string {
		s.mark(t) // a resumed recorder records coverage only after an event
		return s.uncovered(t, "two")
	})
	to, err := s.plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.restarts = append(s.restarts, span{from: from, to: to}) // this server has no earlier history
	return two, to
}

// closed reports gaps that remain since a version: one recorder always ran.
func (s *stage) closed(t *testing.T, since int64) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	for _, resource := range s.types {
		for _, g := range read(t, d, resource).open() {
			if g.from >= since {
				t.Errorf("%s: the gap %v remains, although the other recorder ran", resource, g)
			}
		}
	}
}

// both kills two recorders in turn, and disconnects one of them.
func (s *stage) both(t *testing.T, one, two *recorder) {
	t.Helper()
	var faults []fault
	for n := range *kills {
		r := []*recorder{one, two}[n%2]
		faults = append(faults, killFault(t, r))
	}
	// The history that one's server loses is available from two's server, whichever
	// recorder is killed.
	faults = append(faults, s.databaseFault(t), cutFault("API server", s.api, network.Refuse), s.serverFault(t), s.serverFault(t))
	if s.db != nil {
		faults = append(faults, cutFault("database", s.db, network.Drop), cutFault("database", s.db, network.Stall))
	}
	shuffled(t, faults)
	s.settle(t, 3*time.Minute, "one", "two")
	// Two is down while one's server loses its history, and one lists.
	two.kill()
	s.restartAPIServer(t)
	s.settle(t, 3*time.Minute, "one")
	two.launch(t)
	s.settle(t, 3*time.Minute, "one", "two")
	shuffled(t, []fault{killFault(t, two), killFault(t, one)})
}
