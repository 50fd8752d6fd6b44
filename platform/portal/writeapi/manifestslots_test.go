package writeapi

import (
	"context"
	"errors"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestManifestSlots: few large manifests are read at once, and small ones do not wait for them.
func TestManifestSlots(t *testing.T) {
	all := make(manifestSlots, mostLarge)
	var dones []func()
	for range mostLarge {
		done, err := all.take(t.Context(), largeFrom)
		if err != nil {
			t.Fatal(err)
		}
		dones = append(dones, done)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var p *api.Problem
	if _, err := all.take(gone, largeFrom); !errors.As(err, &p) || p.Type != api.ProblemTooMany {
		t.Errorf("one more: got %v, want too many", err)
	}
	if _, err := all.take(gone, largeFrom-1); err != nil {
		t.Errorf("a small one: got %v, want no error", err)
	}
	dones[0]()
	if _, err := all.take(t.Context(), largeFrom); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
