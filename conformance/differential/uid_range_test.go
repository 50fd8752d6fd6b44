package differential

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// kubernetesSelects reports what Kubernetes does with the selector of a range.
func kubernetesSelects(t *rapid.T, selector, uid string) bool {
	t.Helper()
	var req sharding.ShardRangeRequirement
	if _, err := fmt.Sscanf(strings.NewReplacer("(", " ", ",", " ", ")", " ", "'", "").Replace(selector), "shardRange %s %s %s", &req.Key, &req.Start, &req.End); err != nil {
		t.Fatal(err)
	}
	s := sharding.NewSelector(req)
	if s.String() != selector {
		t.Fatal("the server repeats", s.String(), "instead of", selector)
	}
	ok, err := s.Matches(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// TestUIDRanges: the types of Kubernetes select the same objects as each range.
func TestUIDRanges(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		uid := rapid.StringN(0, 40, -1).Draw(t, "uid")
		n := 1 << rapid.IntRange(1, 8).Draw(t, "bits")
		for i := range n {
			r := wire.UIDRange{Index: i, Count: n}
			if got, want := r.Contains(uid), kubernetesSelects(t, r.Selector(), uid); got != want {
				t.Fatalf("range %s contains %q: %v, in Kubernetes %v", r, uid, got, want)
			}
		}
	})
}
