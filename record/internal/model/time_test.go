package model_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
)

// TestHappened: the time that an object gives counts where it can be true.
func TestHappenedAt(t *testing.T) {
	// Times in seconds of a minute; 0 is none.
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
		{"the object says nothing", 0, 30.5, 1, 10.5, 30.5},
		{"it says when", 20, 30.5, 1, 10.5, 20},
		{"it says when, of the first state", 20, 30.5, 1, 0, 20},
		{"it was seen within that second", 30, 30.5, 1, 10.5, 30.5},
		{"its clock is fast", 31, 30.5, 1, 10.5, 30.5},
		{"before it was made", 0.5, 30.5, 1, 0, 30.5},
		{"when it was made", 1, 30.5, 1, 0, 1},
		{"of a state before", 5, 30.5, 1, 10.5, 30.5},
		{"in the second of the state before", 10, 30.5, 1, 10.5, 10.5},
		{"seen by a slow clock, after a fast one", 0, 30.5, 1, 40, 40},
		{"seen within that second by a slow clock", 30, 30.5, 1, 30.7, 30.7},
	} {
		if got := model.Time(model.HappenedAt(at(c.at), at(c.seen), at(c.created), model.Micros(at(c.since)))); !got.Equal(at(c.wanted)) {
			t.Errorf("%s: %v, want %v", c.name, got, at(c.wanted))
		}
	}
}
