package freshness_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var idle = flag.Duration("idle", 10*time.Second, "how long a cluster without changes is watched")

// bound is the time in which readers notice that nothing is recorded: the time without a
// heartbeat, one interval of heartbeats, and the interval at which this test reads.
const bound = history.StaleAfter + 3*time.Second + 2*time.Second

// TestFreshness: a recorder is killed, stopped, cut off from its database, and blocked by a
// lock. Readers say so within the bound, and are right again afterwards. At no time do they
// say that pods are live while an earlier pod is missing in the database.
func TestFreshness(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			one := s.Record(t, "one")
			s.Covered(t, "one")
			w := &reader{t: t, s: s, d: s.Open(t)}
			defer w.d.Close()
			stop := w.begin()
			defer stop()
			w.until("at the beginning", history.Live)

			one.Kill()
			w.notices("a killed recorder", history.Stale)
			one.Launch(t)
			w.until("after the kill", history.Live)

			pause(t, one, syscall.SIGSTOP)
			w.notices("a stopped recorder", history.Stale)
			pause(t, one, syscall.SIGCONT)
			w.until("after the stop", history.Live)

			if s.DB == nil { // a file has no network, and one lock for all writers
				return
			}
			for _, m := range []network.Mode{network.Refuse, network.Stall} {
				s.DB.Set(m)
				w.notices(fmt.Sprint("a recorder without its database, ", m), history.Stale)
				s.DB.Set(network.Whole)
				w.until("after the database was cut off", history.Live)
			}
			unlock := w.lock()
			w.notices("a writer that waits for a lock", history.Behind)
			unlock()
			w.until("after the lock", history.Live)
		})
	}
}

// TestIdle: pods of an idle cluster stay live.
func TestIdle(t *testing.T) {
	s := stage.New(t, gobuild.Program(t, gobuild.Vedette), "sqlite", controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
	s.Record(t, "one")
	w := &reader{t: t, s: s, d: s.Open(t)}
	defer w.d.Close()
	w.until("at the beginning", history.Live)
	tick := time.NewTicker(time.Second) // an input: the interval of readers
	defer tick.Stop()
	for end := time.Now().Add(*idle); time.Now().Before(end); <-tick.C { // an input: the time of the test
		all, err := history.New(w.d).Freshness(t.Context(), w.d.Now())
		if err != nil {
			t.Fatal(err)
		}
		if now := w.d.Now(); all[0].Recording(now) != history.Live || all[0].Unconfirmed(now) {
			t.Fatalf("got %+v at %v, want pods to stay live", all[0], now)
		}
	}
}

func pause(t *testing.T, r *stage.Recorder, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(r.PID(), signal); err != nil {
		t.Fatal(err)
	}
}

// reader reads the freshness of pods, and compares it with the pods that exist.
type reader struct {
	t *testing.T
	s *stage.Stage
	d *sqldb.DB

	mu   sync.Mutex
	made map[string]time.Time
}

// begin creates a pod every half second, and checks the claims of the history.
func (w *reader) begin() (stop func()) {
	w.made = map[string]time.Time{}
	ctx, cancel := context.WithCancel(w.t.Context())
	var work sync.WaitGroup
	every := func(interval time.Duration, do func(n int)) {
		work.Go(func() {
			tick := time.NewTicker(interval) // an input: the rates of pods and readers
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					do(n)
				}
			}
		})
	}
	every(500*time.Millisecond, func(n int) {
		name := fmt.Sprint("pod-", n)
		w.s.MakePod(w.t, name)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.made[name] = time.Now()
	})
	every(time.Second, func(int) { w.check() })
	return func() {
		cancel()
		work.Wait()
	}
}

// check fails the test if pods are said to be live and an earlier pod is not recorded.
func (w *reader) check() {
	asked := time.Now()
	if w.state() != history.Live {
		return
	}
	recorded := map[string]bool{}
	stage.Rows(w.t, w.d.SQL(), "SELECT name FROM objects", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		recorded[name] = true
		return err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, at := range w.made {
		if asked.Sub(at) > bound && !recorded[name] {
			w.t.Errorf("pods are said to be live, and %s of %v ago is not recorded", name, asked.Sub(at))
		}
	}
}

// state returns whether pods are recorded, as readers see it.
func (w *reader) state() history.Recording {
	h := history.New(w.d)
	all, err := h.Freshness(w.t.Context(), w.d.Now())
	if err != nil && w.t.Context().Err() == nil {
		w.t.Error(err)
	}
	if len(all) == 0 { // no recorder has begun
		return history.Stale
	}
	return all[0].Recording(w.d.Now())
}

// until waits for a state.
func (w *reader) until(when string, want history.Recording) {
	w.t.Helper()
	patience.Until(w.t, fmt.Sprint(when, ": pods are ", want), func() string {
		if got := w.state(); got != want {
			return got.String()
		}
		return ""
	})
}

// notices waits for a state that a fault causes, and reports how long that took.
func (w *reader) notices(fault string, want history.Recording) {
	w.t.Helper()
	began := time.Now()
	w.until(fault, want)
	took := time.Since(began)
	w.t.Logf("%s: pods are %v after %v", fault, want, took.Round(100*time.Millisecond))
	if took > 2*bound { // also on a loaded machine
		w.t.Errorf("%s: pods are %v after %v, want about %v", fault, want, took, bound)
	}
}

// lock locks the table of revisions.
func (w *reader) lock() (unlock func()) {
	w.t.Helper()
	conn, err := w.d.SQL().Conn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	begin, end := []string{"BEGIN", "LOCK TABLE revisions IN ACCESS EXCLUSIVE MODE"}, "ROLLBACK"
	if !strings.HasPrefix(w.s.URL, "postgres") {
		begin, end = []string{"LOCK TABLES revisions WRITE"}, "UNLOCK TABLES"
	}
	for _, statement := range begin {
		if _, err := conn.ExecContext(w.t.Context(), statement); err != nil {
			w.t.Fatal(err)
		}
	}
	return func() {
		if _, err := conn.ExecContext(context.WithoutCancel(w.t.Context()), end); err != nil {
			w.t.Error(err)
		}
		if err := conn.Close(); err != nil {
			w.t.Error(err)
		}
	}
}
