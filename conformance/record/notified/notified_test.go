package notified_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var notifierKills = flag.Int("notifier-kills", 6, "how many times notifiers are killed meanwhile")

// TestNotified: while pods change their states, notifiers are killed, receivers fail in
// every way, and the database has outages. In the end each message that the rules select
// has arrived, under one key, in the order of its object. Slow and failing receivers have
// not delayed others.
func TestNotified(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			sound, moody, slow := stage.NewSink(t, stage.Temper{}), stage.NewSink(t, stage.Temper{Failing: true}), stage.NewSink(t, stage.Temper{Delay: 300 * time.Millisecond})
			one := s.Record(t, "one", "--spill", t.TempDir())
			s.Covered(t, "one")
			s.Load.MakeMarkers(t)
			s.Settle(t, "one")
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
			disturb(t, s, a, b, sound, moody)
			work.Wait()
			want := s.Wanted(t, from)
			t.Logf("%d transitions, %d of them to Failed", len(want), len(stage.Failures(want)))
			began := time.Now()
			s.Arrived(t, "sound", sound, len(want), began)
			if n, of := slow.Keys(), len(stage.Failures(want)); n == of {
				t.Logf("the slow receiver finished before the sound one, so the test proves nothing")
			}
			moody.Calm.Store(true)
			s.Arrived(t, "moody", moody, len(want), began)
			s.Arrived(t, "slow", slow, len(stage.Failures(want)), began)
			stage.Check(t, "sound", sound, want, "all/sound")
			stage.Check(t, "moody", moody, want, "all/moody")
			stage.Check(t, "slow", slow, stage.Failures(want), "failures/slow")
			t.Logf("%d and %d starts of the notifiers", a.Starts, b.Starts)
			a.Stop(t)
			b.Stop(t)
			one.Stop(t)
		})
	}
}

// disturb kills notifiers, receivers and the database.
func disturb(t *testing.T, s *stage.Stage, a, b *stage.Recorder, receivers ...*stage.Sink) {
	t.Helper()
	var faults []stage.Fault
	for n := range *notifierKills {
		faults = append(faults, stage.KillFault(t, []*stage.Recorder{a, b}[n%2]))
	}
	for _, r := range receivers {
		faults = append(faults, stage.Fault{Name: "the receiver at " + r.Address + " is killed", Do: func() { r.Restart(t, time.Second) }})
	}
	faults = append(faults, s.DatabaseFault(t))
	if s.DB != nil {
		faults = append(faults, stage.CutFault("database", s.DB, network.Reset), stage.CutFault("database", s.DB, network.Refuse))
	}
	s.Shuffled(t, faults)
}
