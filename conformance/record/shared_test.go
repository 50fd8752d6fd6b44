package record_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/shard"
)

var (
	sharing     = flag.Int("sharing", 3, "number of recorders that share the work")
	disturbance = flag.Duration("disturbance", 12*time.Second, "how long recorders that share the work are disturbed")
)

// shareLease is the lease of recorders that share the work.
const shareLease = 2 * time.Second

// member is a recorder that shares the work, behind networks of its own.
type member struct {
	*recorder
	api, db *network.Proxy // db is nil with SQLite
}

// TestShared: recorders share Jobs and pods, two for each type. They are killed, stopped for
// longer than a lease, cut off and restarted at random, while Jobs run. In the end the
// database has every revision of etcd once, in order, and no gap; each shard has two
// holders; and recorders that woke up after their lease were refused.
func TestShared(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{}, "jobs", "pods")
			s.load.makeMarkers(t)
			var members []*member
			for i := range *sharing {
				members = append(members, s.join(t, fmt.Sprint("member-", i)))
			}
			s.held(t, 2)
			s.underLoad(t, *jobs/2, func() { disturb(t, members) })
			s.held(t, 2)
			s.settle(t, 3*time.Minute)
			s.compare(t, false)
			s.closed(t, 0)
			returned := 0
			for _, m := range members {
				returned += m.returned(t)
			}
			t.Logf("%d times, a recorder woke up after its lease", returned)
			if returned == 0 {
				t.Error("no recorder was taken for dead and came back")
			}
			for _, m := range members {
				m.stop(t)
			}
		})
	}
}

// join starts a recorder that shares the work, behind its own networks.
func (s *stage) join(t *testing.T, name string) *member {
	t.Helper()
	m := &member{api: network.New(t, strings.TrimPrefix(s.plane.Host(), "https://"))}
	url := s.url
	if s.db != nil {
		at := strings.Split(strings.SplitN(s.url, "@", 2)[1], "/")[0]
		m.db = network.New(t, at)
		url = strings.Replace(url, at, m.db.Address(), 1)
	}
	config := kubeconfig(t, s.plane.RESTConfig(), m.api.Address())
	m.recorder = startProgram(t, name, func() *exec.Cmd {
		return recordCommand(s.program, config, name, strings.Join(s.types, ","), "-A", "--db", url, "--join", "--join-lease", shareLease.String(), "--wait-for-types")
	})
	return m
}

// held waits until each shard has a number of holders that have caught up.
func (s *stage) held(t *testing.T, holders int) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	wait.Until(t, 2*time.Minute, "each shard has its holders", func() string {
		shards, members, err := shard.List(t.Context(), d)
		if err != nil || len(shards) != len(s.types) {
			return fmt.Sprintf("got %+v of %+v, %v", shards, members, err)
		}
		s.mark(t)
		for _, one := range shards {
			ready := 0
			for _, h := range one.Holders {
				if h.Ready {
					ready++
				}
			}
			if ready != holders || len(one.Holders) != holders {
				return fmt.Sprintf("%s has the holders %+v", one.Type, one.Holders)
			}
		}
		return ""
	})
}

// returned counts how often the recorder said that the others took it for dead.
func (r *recorder) returned(t *testing.T) int {
	t.Helper()
	said, err := os.ReadFile(r.log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(said), "the other recorders took this one for dead")
}

// maxStops is the number of stops after which no recorder is stopped only because none was
// taken for dead.
const maxStops = 10

// disturb injects faults into recorders at random. It begins with stops, until the others
// took a recorder for dead: a recorder that is stopped while it holds the lock of SQLite
// stops the others as well, and nobody takes its place.
func disturb(t *testing.T, members []*member) {
	t.Helper()
	end, returned := time.Now().Add(*disturbance), 0
	for n := 0; !t.Failed() && (time.Now().Before(end) || returned == 0 && n < maxStops); n++ {
		m := members[rand.IntN(len(members))]
		faults := []fault{
			{"stop " + m.name, func() {
				pid := m.pid()
				_ = syscall.Kill(pid, syscall.SIGSTOP)
				<-time.After(2 * shareLease)
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}},
			killFault(t, m.recorder),
			{"restart " + m.name, func() { m.stop(t); m.launch(t) }},
			cutFault("API server from "+m.name, m.api, network.Drop),
		}
		if m.db != nil {
			faults = append(faults, cutFault("database from "+m.name, m.db, network.Drop))
		}
		f := faults[rand.IntN(len(faults))]
		if returned == 0 {
			f = faults[0]
		}
		began := time.Now()
		f.do()
		t.Logf("%s %s, for %v", began.Format("15:04:05.0"), f.name, time.Since(began).Round(100*time.Millisecond))
		<-time.After(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		returned += m.returned(t)
	}
}
