package sqldb

import (
	"testing"
	"time"
)

// TestServerClock: between readings, the time of the server advances with that of this
// machine, and a reading is replaced after a minute. Jumps are in conformance/record.
func TestServerClock(t *testing.T) {
	local := time.Now()
	server := time.UnixMicro(1_700_000_000_000_000)
	r := clockReading{local: local, server: server}
	for _, c := range []struct {
		name  string
		local time.Time
		stale bool
	}{
		{"at once", local, false},
		{"after 59 s", local.Add(59 * time.Second), false},
		{"after a minute", local.Add(time.Minute), true},
	} {
		if got := r.stale(c.local); got != c.stale {
			t.Errorf("%s: stale is %t, want %t", c.name, got, c.stale)
		}
	}
	if got, want := r.at(local.Add(3*time.Second)), server.Add(3*time.Second); !got.Equal(want) {
		t.Errorf("3 s after the reading: got %v, want %v", got, want)
	}
}

// TestLocalClock: without a server, the time follows the local clock, and continues if that
// clock is set back.
func TestLocalClock(t *testing.T) {
	var c serverClock
	local := time.Now()
	if got := c.local(local); !got.Equal(local) {
		t.Errorf("got %v, want the local time %v", got, local)
	}
	c.last.Store(&clockReading{local: local, server: local.Add(time.Hour)}) // it was an hour ahead then
	if got, want := c.local(local.Add(time.Minute)), local.Add(time.Hour+time.Minute); !got.Equal(want) {
		t.Errorf("after the clock was set back: got %v, want %v", got, want)
	}
	c.last.Store(&clockReading{local: local, server: local.Add(-time.Hour)}) // it was an hour behind
	if got, want := c.local(local.Add(time.Minute)), local.Add(time.Minute); !got.Equal(want) {
		t.Errorf("after the clock was set ahead: got %v, want %v", got, want)
	}
}
