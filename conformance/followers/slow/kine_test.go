package slow_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/followers"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/reflector"
)

// TestKine: kine on SQLite is in the place of etcd, and compacts each second. It is killed
// while the API server runs, and so is the API server. The followers have all objects after
// each.
func TestKine(t *testing.T) {
	testinput.Uncached(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "kine")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(root, "conformance", "kine")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build kine: %v\n%s", err, out)
	}
	w := followers.NewWorld(t, controlplane.Options{Kine: program}, followers.Version("v1", true, true, followers.Sized()))
	w.Create(0, 20)
	all := w.Five(reflector.Config{})
	w.Agree("the first lists", all)
	for round := range 4 {
		if round%2 == 0 {
			if err := w.Plane.RestartEtcd(); err != nil {
				t.Fatal(err)
			}
			w.Ready()
		} else {
			w.Plane.KillAPIServer()
			if err := w.Plane.StartAPIServer(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.Create(200*round+20, 200*(round+1)+20)
		w.Resize(round, 1000)
		w.Remove(200*round + 20)
		w.Agree("changes", all)
	}
}
