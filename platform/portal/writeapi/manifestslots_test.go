package writeapi

import (
	"context"
	"errors"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TestManifestSlots: few large manifests are read at once, one of each person, and small ones do not
// wait for them.
func TestManifestSlots(t *testing.T) {
	all := newManifestSlots()
	var dones []func()
	for _, name := range []string{"anna", "ben"} {
		done, err := all.take(as(t, name), largeFrom)
		if err != nil {
			t.Fatal(err)
		}
		dones = append(dones, done)
	}
	gone, cancel := context.WithCancel(as(t, "carl"))
	cancel()
	var p *api.Problem
	if _, err := all.take(gone, largeFrom); !errors.As(err, &p) || p.Type != api.ProblemTooMany {
		t.Errorf("one more: got %v, want too many", err)
	}
	if _, err := all.take(gone, largeFrom-1); err != nil {
		t.Errorf("a small one: got %v, want no error", err)
	}
	dones[0]()
	gone, cancel = context.WithCancel(as(t, "ben"))
	cancel()
	if _, err := all.take(gone, largeFrom); err == nil {
		t.Error("a person has all slots")
	}
	if _, err := all.take(as(t, "carl"), largeFrom); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// as returns a context of a person.
func as(t *testing.T, name string) context.Context {
	return identity.With(t.Context(), identity.Person{Name: name})
}
