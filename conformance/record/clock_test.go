package record_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/clock"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
)

var clocks = flag.Bool("clocks", false, "run the tests whose programs are compiled with another clock")

// TestClockJumps: the clocks of the machines of two recorders and two notifiers jump ahead
// and back, each on its own, and notifiers are killed while they are an hour ahead. With
// SQLite, all run on one machine. The database has every revision once, and no gap. Each
// message has arrived soon, under one key, in the order of its object.
func TestClockJumps(t *testing.T) {
	if !*clocks {
		return
	}
	program := build(t, "-overlay", clock.Overlay(t))
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait for leases of killed notifiers most of the time
			s := newStage(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			sound, moody, slow := newSink(t, temper{}), newSink(t, temper{}), newSink(t, temper{delay: 300 * time.Millisecond})
			clocks := map[string]*clock.Clock{}
			s.env = map[string][]string{}
			for _, name := range []string{"one", "two", "notifier-a", "notifier-b"} {
				clocks[name] = clock.New(t)
				if kind == "sqlite" {
					clocks[name] = clocks["one"]
				}
				s.env[name] = []string{clocks[name].Env()}
			}
			one := s.record(t, "one")
			s.covered(t, "one")
			s.load.makeMarkers(t)
			two := s.record(t, "two")
			wait.Until(t, time.Minute, "two follows", func() string {
				s.mark(t) // a resumed recorder records coverage only after an event
				return s.uncovered(t, "two")
			})
			s.settle(t, 3*time.Minute, "one", "two")
			from, err := s.plane.Revision(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, notifyFile, sound.address, moody.address, slow.address), 0o600); err != nil {
				t.Fatal(err)
			}
			a, b := s.notifier(t, "notifier-a", file), s.notifier(t, "notifier-b", file)
			s.cursorBegins(t)
			var work sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			work.Go(func() { s.flip(ctx, t, *transitions) })
			move := func(name string, ahead time.Duration) fault {
				return fault{fmt.Sprintf("the clock of %s is %v ahead", name, ahead), func() { clocks[name].Move(ahead) }}
			}
			// The certificate of the API server is valid from an hour ago.
			shuffled(t, []fault{
				move("one", time.Hour), move("two", -50*time.Minute), move(a.name, time.Hour), move(b.name, -50*time.Minute),
			})
			killAhead := func(r *recorder) fault {
				return fault{r.name + " is killed while its clock is ahead", func() {
					clocks[r.name].Move(time.Hour)
					<-time.After(time.Second)
					r.kill()
					r.launch(t)
				}}
			}
			shuffled(t, []fault{killAhead(a), killAhead(b), move("one", time.Hour), move("two", time.Hour)})
			shuffled(t, []fault{move("one", -50*time.Minute), move("two", time.Hour), move(a.name, -50*time.Minute), move(b.name, time.Hour)})
			shuffled(t, []fault{move("one", 0), move("two", 0), move(a.name, 0), move(b.name, 0)})
			work.Wait()
			s.settle(t, 3*time.Minute, "one", "two")
			s.compare(t, false)
			want, began := s.wanted(t, from), time.Now()
			s.arrived(t, "sound", sound, len(want), began)
			s.arrived(t, "moody", moody, len(want), began)
			s.arrived(t, "slow", slow, len(failures(want)), began)
			check(t, "sound", sound, want, "all/sound")
			check(t, "moody", moody, want, "all/moody")
			check(t, "slow", slow, failures(want), "failures/slow")
			one.stop(t)
			two.stop(t)
			a.stop(t)
			b.stop(t)
		})
	}
}
