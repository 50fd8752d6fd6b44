package slow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/followers"
	"github.com/vedette-io/vedette/reflector"
)

// TestRestored: etcd is restored from a copy of its data under the followers. kube-apiserver
// then accepts a watch at a version from the future, and sends nothing. Each follower has
// what the server has within the bounds of docs/protocol.md, and reports a relist because the
// server's version went back.
//
// The copy is one of the data folder (controlplane.Backup), because etcdutl is not among the
// programs. The test needs minutes: a watch must be silent for three of them before it is
// checked.
func TestRestored(t *testing.T) {
	w := followers.NewWorld(t, controlplane.Options{}, followers.Version("v1", true, true, followers.Sized()))
	w.Create(0, 20)
	restore, err := w.Plane.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := w.Five(reflector.Config{})
	w.Agree("before", all)
	w.Create(20, 420) // the server must not reach these versions again before the check
	w.Resize(0, 1000)
	w.Remove(1)
	w.Agree("after the changes that are lost", all)
	if err := restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A recorder orders the revisions of an object by version, so it does not take the older
	// ones of the backup.
	present := slices.DeleteFunc(slices.Clone(all), func(f *followers.Follower) bool { return f.History != nil })
	w.Agree("restored", present)
	w.Resize(0, 2000)
	w.Remove(2)
	w.Create(20, 21)
	w.Agree("changed after the restore", present)
	for _, f := range all {
		if h := f.Health(); h.Relists.Ahead != 1 || h.LastGap.From <= h.LastGap.To {
			t.Errorf("%s does not say that the version went back: %s, gap %v", f.Name, f.Condition(), h.LastGap)
		}
		if said := strings.Join(w.Said(f.Name), ""); !strings.Contains(said, "fault=ahead") {
			t.Errorf("%s does not say it in its log:\n%s", f.Name, said)
		}
	}
}
