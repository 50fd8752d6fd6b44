package followers

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/reflector"
)

// TestWithoutWatchCache: kube-apiserver has no watch cache, so each list and each watch goes
// to etcd. The followers have all changes; after a restart of the server they resume, and
// after a compaction meanwhile they list.
func TestWithoutWatchCache(t *testing.T) {
	n := testinput.Size(t, 40, 1000)
	w := NewWorld(t, controlplane.Options{APIServer: []string{"--watch-cache=false"}}, Version("v1", true, true, Sized()))
	proxy := network.New(t, strings.TrimPrefix(w.Plane.Host(), "https://"))
	w.Through = "https://" + proxy.Address()
	w.Create(0, n)
	all := w.Five(reflector.Config{PageSize: int64(n/4 + 1)})
	w.Agree("the first lists", all)
	w.Create(n, n+n/2)
	w.Resize(0, 1000)
	w.Remove(1)
	w.Agree("changes", all)
	w.Plane.KillAPIServer()
	if err := w.Plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Create(n+n/2, 2*n)
	w.Remove(0)
	w.Agree("changes after a restart of the server", all)
	for _, f := range all {
		if h := f.Health(); relists(h.Relists) != 0 {
			t.Errorf("%s has listed again, although etcd has all versions: %s", f.Name, f.Condition())
		}
	}
	proxy.Set(network.Refuse)
	w.Create(2*n, 2*n+5)
	w.Remove(2)
	if err := w.Plane.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	proxy.Set(network.Whole)
	w.Agree("changes before a compaction", all)
	for _, f := range all {
		if h := f.Health(); h.Relists.Expired != 1 || relists(h.Relists) != 1 {
			t.Errorf("%s does not say that the version has expired: %s", f.Name, f.Condition())
		}
	}
}
