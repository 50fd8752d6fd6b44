package history

import (
	"testing"
	"time"
)

// TestLife: the clocks of recorders and servers differ, so a transition can seem to precede the
// one before it. No stay has a negative length.
func TestLife(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	var l life
	l.enter("Queued", at(10))
	l.enter("Starting", at(8))
	l.enter("Running", at(20))
	for i, want := range []time.Duration{0, 10 * time.Minute, 5 * time.Minute} {
		if got := l.end(i, at(25)).Sub(l.stays[i].began); got != want {
			t.Errorf("%s lasted %v, want %v", l.stays[i].state, got, want)
		}
	}
	l.cutAt(at(20))
	if len(l.stays) != 2 || l.last().state != "Starting" {
		t.Errorf("before the third transition: %+v", l.stays)
	}
}
