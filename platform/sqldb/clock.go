package sqldb

import (
	"sync/atomic"
	"time"
)

// Limits of a reading of the server's clock.
const (
	// readingAge is the age at which a reading is replaced: clocks drift, and are set.
	readingAge = time.Minute
	// readingJump is the difference between the wall clock and the monotonic clock of this
	// machine, since a reading, from which one of them has jumped or stood still. The machine
	// may have been suspended, so the reading is replaced.
	readingJump = time.Second
)

// serverClock estimates the time of a server between two readings of its clock. For a
// database without a server it is the local clock, which does not go back when the wall
// clock is set back, because due times would come later.
type serverClock struct{ last atomic.Pointer[clockReading] }

// clockReading is the time of the server at a time of this machine.
type clockReading struct {
	local  time.Time // with a reading of the monotonic clock
	server time.Time
}

// at returns the time of the server at a time of this machine.
func (r *clockReading) at(local time.Time) time.Time { return r.server.Add(local.Sub(r.local)) }

// stale reports whether the clock must be read again.
func (r *clockReading) stale(local time.Time) bool {
	passed := local.Sub(r.local)
	jump := local.Round(0).Sub(r.local.Round(0)) - passed
	return passed >= readingAge || jump.Abs() >= readingJump
}

// refresh calls read for the time of the server, in microseconds since 1970, if the last
// reading is stale. A failure changes nothing: the next statement fails as well, and its
// error is reported.
func (c *serverClock) refresh(read func() (micros int64, err error)) {
	before := time.Now()
	if last := c.last.Load(); last != nil && !last.stale(before) {
		return
	}
	at, err := read()
	if err != nil {
		return
	}
	trip := time.Since(before)
	c.last.Store(&clockReading{local: before.Add(trip / 2), server: time.UnixMicro(at)})
}

// now returns the time of the server.
func (c *serverClock) now() time.Time {
	local := time.Now()
	if last := c.last.Load(); last != nil {
		return last.at(local)
	}
	return local.Round(0)
}

// local returns the time of the local clock, or a later one if that clock was set back.
func (c *serverClock) local(local time.Time) time.Time {
	wall, last := local.Round(0), c.last.Load()
	if last != nil && last.at(local).After(wall) {
		return last.at(local)
	}
	if last == nil || last.stale(local) {
		c.last.Store(&clockReading{local: local, server: wall})
	}
	return wall
}
