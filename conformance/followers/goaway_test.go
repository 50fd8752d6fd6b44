package followers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/reflector"
)

// TestGoAway: kube-apiserver ends connections of HTTP/2 by GOAWAY, at random, as many clusters
// do to spread clients over their servers. The watches on a connection that ends continue or
// resume, so no follower lists, and requests go over new connections.
func TestGoAway(t *testing.T) {
	w := NewWorld(t, controlplane.Options{APIServer: []string{"--goaway-chance=0.02"}}, Version("v1", true, true, Sized()))
	proxy := network.New(t, strings.TrimPrefix(w.Plane.Host(), "https://"))
	w.Through = "https://" + proxy.Address()
	w.Create(0, 20)
	all := w.Five(reflector.Config{})
	w.Agree("the first lists", all)
	for round := range testinput.Size(t, 2, 20) {
		before := proxy.Accepted()
		patience.Until(t, "connections end", func() string {
			for _, ask := range w.asks {
				if err := ask(); err != nil {
					return err.Error()
				}
			}
			if n := proxy.Accepted() - before; n < len(w.asks) {
				return fmt.Sprintf("%d new connections", n)
			}
			return ""
		})
		w.Create(20*(round+1), 20*(round+2))
		w.Resize(round, 1000)
		w.Remove(20 * (round + 1))
		w.Agree("changes", all)
	}
	for _, f := range all {
		if h := f.Health(); relists(h.Relists) != 0 || h.Fault != reflector.NoFault {
			t.Errorf("%s has listed again: %s", f.Name, f.Condition())
		}
	}
	t.Logf("%d connections", proxy.Accepted())
}
