package sharing_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestShared: recorders share Jobs and pods, two for each type. They are killed, stopped for
// longer than a lease, cut off and restarted at random, while Jobs run. In the end the
// database has every revision of etcd once, in order, and no gap; each shard has two
// holders; and recorders that woke up after their lease were refused.
func TestShared(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{}, "jobs", "pods")
			s.Load.MakeMarkers(t)
			var members []*stage.Member
			for i := range *stage.Sharing {
				members = append(members, s.Join(t, fmt.Sprint("member-", i)))
			}
			s.Held(t, 2)
			s.UnderLoad(t, *stage.Jobs/2, func() { disturbMembers(t, s, members) })
			s.Held(t, 2)
			s.Settle(t)
			s.Compare(t, false)
			s.Closed(t, 0)
			returned := 0
			for _, m := range members {
				returned += m.Returned(t)
			}
			t.Logf("%d times, a recorder woke up after its lease", returned)
			if returned == 0 {
				t.Error("no recorder was taken for dead and came back")
			}
			for _, m := range members {
				m.Stop(t)
			}
		})
	}
}

// disturbMembers injects faults into recorders at random. It begins with stops, until the others
// took a recorder for dead: a recorder that is stopped while it holds the lock of SQLite
// stops the others as well, and nobody takes its place.
func disturbMembers(t *testing.T, s *stage.Stage, members []*stage.Member) {
	t.Helper()
	end, returned := time.Now().Add(*stage.Disturbance), 0
	for n := 0; !t.Failed() && (time.Now().Before(end) || returned == 0 && n < stage.MaxStops); n++ { // an input: the length of the disturbance
		m := members[s.Dice.IntN(len(members))]
		faults := []stage.Fault{
			{Name: "stop " + m.Name, Do: func() {
				pid := m.PID()
				_ = syscall.Kill(pid, syscall.SIGSTOP)
				<-time.After(2 * stage.ShareLease) // an input: the pace of the disturbance
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}},
			stage.KillFault(t, m.Recorder),
			{Name: "restart " + m.Name, Do: func() { m.Stop(t); m.Launch(t) }},
			stage.CutFault("API server from "+m.Name, m.API, network.Drop),
		}
		if m.DB != nil {
			faults = append(faults, stage.CutFault("database from "+m.Name, m.DB, network.Drop))
		}
		f := faults[s.Dice.IntN(len(faults))]
		if returned == 0 {
			f = faults[0]
		}
		began := time.Now()
		f.Do()
		t.Logf("%s %s, for %v", began.Format("15:04:05.0"), f.Name, time.Since(began).Round(100*time.Millisecond))
		<-time.After(time.Duration(200+s.Dice.IntN(1500)) * time.Millisecond) // an input: the pace of the disturbance
		returned += m.Returned(t)
	}
}
