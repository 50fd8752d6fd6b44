package clocks_test

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
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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
	program := gobuild.Program(t, gobuild.Vedette, "-overlay", clock.Overlay(t))
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait for leases of killed notifiers most of the time
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			sound, moody, slow := stage.NewSink(t, stage.Temper{}), stage.NewSink(t, stage.Temper{}), stage.NewSink(t, stage.Temper{Delay: 300 * time.Millisecond})
			clocks := map[string]*clock.Clock{}
			s.Env = map[string][]string{}
			for _, name := range []string{"one", "two", "notifier-a", "notifier-b"} {
				clocks[name] = clock.New(t)
				if kind == "sqlite" {
					clocks[name] = clocks["one"]
				}
				s.Env[name] = []string{clocks[name].Env()}
			}
			one := s.Record(t, "one")
			s.Covered(t, "one")
			s.Load.MakeMarkers(t)
			two := s.Record(t, "two")
			patience.Until(t, "two follows", func() string {
				s.Mark(t) // a resumed recorder records coverage only after an event
				return s.Uncovered(t, "two")
			})
			s.Settle(t, "one", "two")
			from, err := s.Plane.Revision(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, stage.NotifyFile, sound.Address, moody.Address, slow.Address), 0o600); err != nil {
				t.Fatal(err)
			}
			a, b := s.Notifier(t, "notifier-a", file), s.Notifier(t, "notifier-b", file)
			s.CursorBegins(t)
			var work sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			work.Go(func() { s.Flip(ctx, t, *stage.Transitions) })
			move := func(name string, ahead time.Duration) stage.Fault {
				return stage.Fault{Name: fmt.Sprintf("the clock of %s is %v ahead", name, ahead), Do: func() { clocks[name].Move(ahead) }}
			}
			// The certificate of the API server is valid from an hour ago.
			s.Shuffled(t, []stage.Fault{
				move("one", time.Hour), move("two", -50*time.Minute), move(a.Name, time.Hour), move(b.Name, -50*time.Minute),
			})
			killAhead := func(r *stage.Recorder) stage.Fault {
				return stage.Fault{Name: r.Name + " is killed while its clock is ahead", Do: func() {
					clocks[r.Name].Move(time.Hour)
					<-time.After(time.Second) // an input: the pace of the disturbance
					r.Kill()
					r.Launch(t)
				}}
			}
			s.Shuffled(t, []stage.Fault{killAhead(a), killAhead(b), move("one", time.Hour), move("two", time.Hour)})
			s.Shuffled(t, []stage.Fault{move("one", -50*time.Minute), move("two", time.Hour), move(a.Name, -50*time.Minute), move(b.Name, time.Hour)})
			s.Shuffled(t, []stage.Fault{move("one", 0), move("two", 0), move(a.Name, 0), move(b.Name, 0)})
			work.Wait()
			s.Settle(t, "one", "two")
			s.Compare(t, false)
			want, began := s.Wanted(t, from), time.Now()
			s.Arrived(t, "sound", sound, len(want), began)
			s.Arrived(t, "moody", moody, len(want), began)
			s.Arrived(t, "slow", slow, len(stage.Failures(want)), began)
			stage.Check(t, "sound", sound, want, "all/sound")
			stage.Check(t, "moody", moody, want, "all/moody")
			stage.Check(t, "slow", slow, stage.Failures(want), "failures/slow")
			one.Stop(t)
			two.Stop(t)
			a.Stop(t)
			b.Stop(t)
		})
	}
}
