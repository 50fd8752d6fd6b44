package model_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// TestHappenedAt checks that a reported time is used only if it is plausible.
func TestHappenedAt(t *testing.T) {
	// Times are in seconds of a minute; 0 means unset.
	at := func(seconds float64) time.Time {
		if seconds == 0 {
			return time.Time{}
		}
		return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
	}
	for _, c := range []struct {
		name                             string
		at, seen, created, since, wanted float64
	}{
		{"the object reports no time", 0, 30.5, 1, 10.5, 30.5},
		{"the object reports a time", 20, 30.5, 1, 10.5, 20},
		{"the object reports a time, in its first state", 20, 30.5, 1, 0, 20},
		{"seen within the reported second", 30, 30.5, 1, 10.5, 30.5},
		{"the clock of the object is ahead", 31, 30.5, 1, 10.5, 30.5},
		{"before the creation", 0.5, 30.5, 1, 0, 30.5},
		{"at the creation", 1, 30.5, 1, 0, 1},
		{"of the previous state", 5, 30.5, 1, 10.5, 30.5},
		{"in the second of the previous state", 10, 30.5, 1, 10.5, 10.5},
		{"seen by a slow clock, after a fast one", 0, 30.5, 1, 40, 40},
		{"seen within the reported second by a slow clock", 30, 30.5, 1, 30.7, 30.7},
	} {
		if got := model.Time(model.HappenedAt(at(c.at), at(c.seen), at(c.created), model.Micros(at(c.since)))); !got.Equal(at(c.wanted)) {
			t.Errorf("%s: %v, want %v", c.name, got, at(c.wanted))
		}
	}
}
