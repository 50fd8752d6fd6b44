package slow_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/followers"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/reflector"
)

// TestRestored: etcd is restored from a copy of its data under the followers. kube-apiserver
// then accepts a watch at a version from the future, and sends nothing. Each follower has
// what the server has within the bounds of docs/protocol.md, and reports that the server's version
// went back: informers as a relist, the recorder as a gap.
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
	w.Agree("restored", all)
	w.Resize(0, 2000)
	w.Remove(2)
	w.Create(20, 21)
	w.Agree("changed after the restore", all)
	for _, f := range all {
		if f.History != nil {
			saysRestored(t, w, f)
			continue
		}
		if h := f.Health(); h.Relists.Ahead != 1 || h.LastGap.From <= h.LastGap.To {
			t.Errorf("%s does not say that the version went back: %s, gap %v", f.Name, f.Condition(), h.LastGap)
		}
		if said := strings.Join(w.Said(f.Name), ""); !strings.Contains(said, "fault=ahead") {
			t.Errorf("%s does not say it in its log:\n%s", f.Name, said)
		}
	}
}

// saysRestored checks that a recorder says in its log and in the history that the server lost versions.
func saysRestored(t *testing.T, w *followers.World, f *followers.Follower) {
	t.Helper()
	gaps, err := f.History.ListGaps(t.Context(), history.GapFilter{}, history.Paging{})
	if err != nil || len(gaps.Items) != 1 || gaps.Items[0].Cause != history.CauseRestored {
		t.Errorf("%s: got gaps %+v, %v; want one because of the restore", f.Name, gaps.Items, err)
	}
	if said := strings.Join(w.Said(f.Name), ""); !strings.Contains(said, "the server was restored from a backup") {
		t.Errorf("%s does not say it in its log:\n%s", f.Name, said)
	}
}
