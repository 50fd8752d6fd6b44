package stage

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/record/shard"
)

// ShareLease is the lease of recorders that share the work.
const ShareLease = 2 * time.Second

// Member is a recorder that shares the work, behind networks of its own.
type Member struct {
	*Recorder
	API, DB *network.Proxy // DB is nil with SQLite
}

// Join starts a recorder that shares the work, behind its own networks.
func (s *Stage) Join(t *testing.T, name string) *Member {
	t.Helper()
	m := &Member{API: network.New(t, strings.TrimPrefix(s.Plane.Host(), "https://"))}
	url := s.URL
	if s.DB != nil {
		at := strings.Split(strings.SplitN(s.URL, "@", 2)[1], "/")[0]
		m.DB = network.New(t, at)
		url = strings.Replace(url, at, m.DB.Address(), 1)
	}
	config := Kubeconfig(t, s.Plane.RESTConfig(), m.API.Address())
	m.Recorder = Start(t, name, func() *exec.Cmd {
		return RecordCommand(s.Program, config, name, strings.Join(s.Types, ","), "-A", "--db", url, "--join", "--join-lease", ShareLease.String(), "--wait-for-types")
	})
	return m
}

// Held waits until each shard has a number of holders that have caught up.
func (s *Stage) Held(t *testing.T, holders int) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, "each shard has its holders", func() string {
		shards, members, err := shard.List(t.Context(), d)
		if err != nil || len(shards) != len(s.Types) {
			return fmt.Sprintf("got %+v of %+v, %v", shards, members, err)
		}
		s.Mark(t)
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

// Returned counts how often the recorder said that the others took it for dead.
func (r *Recorder) Returned(t *testing.T) int {
	t.Helper()
	said, err := os.ReadFile(r.Log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(said), "the other recorders took this one for dead")
}

// MaxStops is the number of stops after which no recorder is stopped only because none was
// taken for dead.
const MaxStops = 10
