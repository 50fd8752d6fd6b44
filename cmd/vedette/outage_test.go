package main

import (
	"errors"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/reflector"
)

// TestOutage checks that an outage of the server is reported once, and its end only when the watch
// works again.
func TestOutage(t *testing.T) {
	o := watchview.Outage{Known: map[string]reflector.Relists{}}
	err := errors.New("no answer")
	for i, step := range []struct {
		health reflector.Health
		news   bool
	}{
		{reflector.Health{Phase: reflector.Listing}, false},
		{reflector.Health{Phase: reflector.Listing, Err: err}, true}, // it is waited for
		{reflector.Health{Phase: reflector.Waiting, Err: err}, false},
		{reflector.Health{Phase: reflector.Listing}, false},
		{reflector.Health{Phase: reflector.Watching}, true},
		{reflector.Health{Phase: reflector.Waiting, Err: err}, true},
		{reflector.Health{Phase: reflector.Watching}, true},
		{reflector.Health{Phase: reflector.Stopped, Err: err}, false},
	} {
		if got := o.Note("pods", step.health); got != step.news {
			t.Errorf("step %d: news %v, want %v", i, got, step.news)
		}
	}
}
