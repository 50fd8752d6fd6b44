package wire_test

import (
	"testing"

	"github.com/vedette-io/vedette/wire"
)

// TestParseKey: it is the inverse of String, and accepts nothing else.
func TestParseKey(t *testing.T) {
	for _, key := range []wire.Key{{Name: "node-1"}, {Namespace: "ml", Name: "train"}, {Name: "system:node"}} {
		if got, err := wire.ParseKey(key.String()); err != nil || got != key {
			t.Errorf("%s: got %v and error %v", key, got, err)
		}
	}
	for _, text := range []string{"", "/", "ml/", "/train", "a/b/c"} {
		if got, err := wire.ParseKey(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
