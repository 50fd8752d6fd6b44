package clocks_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/clock"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var older = flag.String("older", "", "program of an earlier version that runs beside this one in TestUnlikeMembers")

// TestUnlikeMembers: four recorders share the work with different settings. Two divide pods into four
// UID ranges and two do not, and two clocks are almost an hour ahead and behind. Each is killed
// once. In the end the database has every revision of etcd once, in order, and no gap.
func TestUnlikeMembers(t *testing.T) {
	if !*clocks {
		return
	}
	program := gobuild.Program(t, gobuild.Vedette, "-overlay", clock.Overlay(t))
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue // its recorders have one clock, that of their machine
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := stage.New(t, program, kind, controlplane.Options{}, "jobs", "pods")
			s.Load.MakeMarkers(t)
			var members []*stage.Recorder
			for i, ahead := range []time.Duration{55 * time.Minute, 0, -50 * time.Minute, 0} {
				members = append(members, unlike(t, s, i, ahead))
			}
			// Nothing changes before all ranges have lists: the comparison takes the coverage of one
			// range for that of all.
			sharedUnlike(t, s, func() {})
			s.UnderLoad(t, *stage.Jobs/2, func() {
				var faults []stage.Fault
				for _, m := range members {
					faults = append(faults, stage.KillFault(t, m))
				}
				s.Shuffled(t, faults)
			})
			sharedUnlike(t, s, func() { s.Mark(t) })
			s.Settle(t)
			s.Compare(t, false)
			s.Closed(t, 0)
			for _, m := range members {
				m.Stop(t)
			}
		})
	}
}

// unlike starts a member. The first two divide pods. The last one may have an earlier version.
func unlike(t *testing.T, s *stage.Stage, i int, ahead time.Duration) *stage.Recorder {
	t.Helper()
	name, dir, program := fmt.Sprint("member-", i), t.TempDir(), s.Program
	ranges := ""
	if i < 2 {
		ranges = "\n    uid-ranges: 4"
	}
	if i == 3 && *older != "" {
		program = *older
	}
	file := filepath.Join(dir, "vedette.yaml")
	text := fmt.Sprintf("db: %q\nname: %s\njoin: true\njoin-lease: %v\nwait-for-types: true\nclusters:\n- name: here\n  kubeconfig: %q\n  resources:\n  - type: jobs.batch\n  - type: pods%s\n",
		s.URL, name, stage.ShareLease, stage.Kubeconfig(t, s.Plane.RESTConfig(), ""), ranges)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := clock.New(t)
	at.Move(ahead)
	return stage.Start(t, name, func() *exec.Cmd {
		cmd := exec.Command(program, "record", "--config", file)
		cmd.Env = append(os.Environ(), at.Env())
		return cmd
	})
}

// sharedUnlike waits until the six shards have two holders each: jobs, pods, and four ranges of
// pods. It calls change again and again.
func sharedUnlike(t *testing.T, s *stage.Stage, change func()) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, "each shard has its holders", func() string {
		change()
		shards, _, err := shard.List(t.Context(), d)
		if err != nil || len(shards) != 6 {
			return fmt.Sprintf("got %+v, %v", shards, err)
		}
		var missing []string
		for _, one := range shards {
			ready := 0
			for _, h := range one.Holders {
				if h.Ready {
					ready++
				}
			}
			if ready != 2 {
				missing = append(missing, fmt.Sprintf("%s %v has the holders %+v", one.Type, one.UIDs, one.Holders))
			}
		}
		return strings.Join(missing, "\n")
	})
}
