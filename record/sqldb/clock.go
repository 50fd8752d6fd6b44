package sqldb

import (
	"context"
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
// clock is set back: what is due would wait for as much longer.
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

// refresh reads the clock of the server if the last reading is stale. A failure changes
// nothing: the next statement fails as well, and its error is reported.
func (p *pool) refresh(ctx context.Context) {
	if p.dialect.Clock == "" {
		return
	}
	before := time.Now()
	if last := p.clock.last.Load(); last != nil && !last.stale(before) {
		return
	}
	var at int64
	if err := p.db.QueryRowContext(ctx, p.dialect.Clock).Scan(&at); err != nil {
		return
	}
	trip := time.Since(before)
	p.clock.last.Store(&clockReading{local: before.Add(trip / 2), server: time.UnixMicro(at)})
}

// now implements DB.Now.
func (p *pool) now() time.Time {
	local := time.Now()
	if p.dialect.Clock == "" {
		return p.clock.local(local)
	}
	if last := p.clock.last.Load(); last != nil {
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
