package stage

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
)

// UnderLoad calls do while Jobs run, and returns when all have finished and nothing
// changes.
func (s *Stage) UnderLoad(t *testing.T, until int64, do func()) {
	t.Helper()
	ctx, quiet := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { s.Load.submit(ctx, until, 150*time.Millisecond) })
	var churn sync.WaitGroup
	churning, enough := context.WithCancel(ctx)
	churn.Go(func() { s.Load.churn(churning, 50*time.Millisecond) })
	do()
	work.Wait() // all Jobs are created
	enough()
	churn.Wait()
	quiet()
	s.Load.resumeAll(t)
	s.Plane.Pause()
	s.awaitQuiet(t)
}

// awaitQuiet waits until nothing has changed for 2 s: the API server may still carry out
// requests that controllers sent before they were paused.
func (s *Stage) awaitQuiet(t *testing.T) {
	t.Helper()
	seen, since := -1, time.Now()
	patience.Until(t, "nothing changes", func() string {
		n := 0
		for _, resource := range s.Types {
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

// Fault is a fault to inject.
type Fault struct {
	Name string
	Do   func()
}

// KillFault kills a recorder, and starts it again.
func KillFault(t *testing.T, r *Recorder) Fault {
	return Fault{"kill " + r.Name, func() { r.Kill(); r.Launch(t) }}
}

// ServerFault kills the API server, and starts it again.
func (s *Stage) ServerFault(t *testing.T) Fault {
	return Fault{"restart the API server", func() { s.RestartAPIServer(t) }}
}

// DatabaseFault stops the database for the time of the flag -outage.
func (s *Stage) DatabaseFault(t *testing.T) Fault {
	return Fault{"stop the database", func() { s.stopDatabase(t, *Outage) }}
}

// CutFault cuts a network for a third of the time of the flag -outage.
func CutFault(from string, p *network.Proxy, m network.Mode) Fault {
	return Fault{fmt.Sprintf("the network to the %s is %v", from, m), func() { Cut(p, m, max(*Outage/3, 2*time.Second)) }}
}

// Shuffled injects all faults in random order, with pauses.
func (s *Stage) Shuffled(t *testing.T, faults []Fault) {
	t.Helper()
	s.Dice.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for _, f := range faults {
		<-time.After(time.Duration(200+s.Dice.IntN(2000)) * time.Millisecond)
		began := time.Now()
		f.Do()
		t.Logf("%s %s, for %v", began.Format("15:04:05.0"), f.Name, time.Since(began).Round(100*time.Millisecond))
		if t.Failed() {
			return
		}
	}
}

// RestartAPIServer kills the API server, and restarts it.
func (s *Stage) RestartAPIServer(t *testing.T) {
	t.Helper()
	from, err := s.Plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Plane.KillAPIServer()
	if err := s.Plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	to, err := s.Plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Restarts = append(s.Restarts, Span{From: from, To: to})
}

// stopDatabase blocks writes for some time: a server is killed and restarted; the file of
// SQLite is locked.
func (s *Stage) stopDatabase(t *testing.T, outage time.Duration) {
	t.Helper()
	if s.server != nil {
		s.server.Kill()
		<-time.After(outage)
		if err := s.server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(s.URL, "sqlite:")+"?_pragma=busy_timeout(20000)&_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(outage)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

// Cut cuts a network for some time.
func Cut(p *network.Proxy, m network.Mode, outage time.Duration) {
	p.Set(m)
	if m == network.Reset {
		return
	}
	<-time.After(outage)
	p.Set(network.Whole)
}
