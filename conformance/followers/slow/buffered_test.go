package slow_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/followers"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/reflector"
)

// TestBufferingProxy: a proxy passes on an answer only when it is complete, and answers 504
// after a minute. Each follower has the objects and, within the bounds of docs/protocol.md,
// the changes, and says by which means.
func TestBufferingProxy(t *testing.T) {
	w := followers.NewWorld(t, controlplane.Options{}, followers.Version("v1", true, true, followers.Sized()))
	w.Create(0, 20)
	w.Through = network.Buffer(t, w.Plane.RESTConfig(), time.Minute)
	all := w.Five(reflector.Config{})
	w.Agree("the first lists", all)
	for round := range 3 {
		w.Create(20*(round+1), 20*(round+2))
		w.Resize(round, 1000)
		w.Remove(20 * (round + 1))
		w.Agree("changes", all)
	}
	for _, f := range all {
		if h := f.Health(); h.Means == reflector.Watch || h.Reason == nil {
			t.Errorf("%s does not say by which means it follows: %s", f.Name, f.Condition())
		}
	}
}
