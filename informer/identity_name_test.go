package informer

import (
	"testing"

	"github.com/vedette-io/vedette/kube"
)

// TestNamesInIdentities checks that every view and every encoding, also one that this
// package does not know, has a name of its own in the identity of a snapshot file, and
// that the known names stay as files contain them.
func TestNamesInIdentities(t *testing.T) {
	views := map[kube.View]string{kube.Full: "full objects", kube.Metadata: "metadata"}
	encodings := map[kube.Encoding]string{kube.PreferProtobuf: "protobuf", kube.PreferCBOR: "CBOR", kube.JSONOnly: "JSON"}
	seenViews, seenEncodings := map[string]int{}, map[string]int{}
	unique := func(what string, seen map[string]int, n int, name, want string) {
		t.Helper()
		if other, used := seen[name]; name == "" || used {
			t.Errorf("%s %d: got the name %q, want a name that neither is empty nor belongs to %s %d", what, n, name, what, other)
		}
		if seen[name] = n; want != "" && name != want {
			t.Errorf("%s %d: got the name %q, want %q", what, n, name, want)
		}
	}
	for n := range 256 {
		unique("view", seenViews, n, viewName(kube.View(n)), views[kube.View(n)])
		unique("encoding", seenEncodings, n, encodingName(kube.Encoding(n)), encodings[kube.Encoding(n)])
	}
}
