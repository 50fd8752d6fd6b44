package reflector

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// fail returns the action after a fault: what to request next, and when.
func (m *machine) fail(err error) action {
	if errors.Is(err, ErrSourceEnded) {
		return m.endSource(err)
	}
	fault, asked := classify(err)
	from := m.state
	m.unproductive = m.unproductive || from != openStream && from != openList && from != openWatch && !m.productive
	m.health.Err, m.health.Fault = err, fault
	m.health.LastErr = err
	if from == openStream && fault == Unsupported {
		m.paged = true
	}
	if (from == openStream || from == inStream) && m.paged {
		if fault == Unsupported {
			m.clearFault() // not a fault: the server only lacks streaming lists
		}
		return m.begin()
	}
	switch fault {
	case Expired, Ahead, Absent, Replaced:
		if m.version != 0 && m.cfg.Lists == NeverList {
			return m.endListless(err)
		}
		quick := m.watched && m.relists == 0 && (fault == Expired || fault == Replaced) && asked == 0
		if fault == Replaced {
			m.highest = 0 // the versions of another cluster may be smaller
		}
		m.forget(fault)
		if quick {
			// The server answers, and consumers get no events until the list is complete, so
			// the reflector asks at once, but with a random delay between clients, and
			// not repeatedly.
			m.attempts = [2]int{}
			return m.scheduleRetry(m.randomUpTo(m.cfg.MinBackoff / 2))
		}
	case Unsupported:
		m.token = "" // the server may not understand the token
	}
	if m.mayHaveMissed() {
		if m.cfg.Lists == NeverList {
			return m.endListless(err)
		}
		m.forget(fault)
	}
	return m.waitBeforeRetry(fault, asked)
}

// endSource ends the run because the source has ended, which is not a fault of the
// server.
func (m *machine) endSource(err error) action {
	m.health.Fault, m.health.LastErr = NoFault, err
	return m.end(err)
}

// endListless ends the run because err requires a list and NeverList forbids it.
func (m *machine) endListless(err error) action {
	return m.end(fmt.Errorf("%w: %w", ErrListNeeded, err))
}

func (m *machine) end(err error) action {
	m.health.Phase, m.health.Err = Stopped, err
	return action{kind: doEnd, err: err}
}

// forget drops a version or a continue token that the server no longer has.
func (m *machine) forget(fault Fault) {
	if m.version != 0 {
		m.health.LastGap = Gap{From: m.version}
		m.version, m.watched = 0, false
		m.attempts[fault.slow()] = max(m.attempts[fault.slow()], m.relists-1)
		m.relists++
		m.health.relisted(fault)
	}
	if m.token != "" && fault == Expired {
		m.lostTokens++
	}
	m.token = ""
}

// waitBeforeRetry waits before the next attempt: the wait that the server requested, but
// at most MaxBackoff, or otherwise the backoff.
func (m *machine) waitBeforeRetry(fault Fault, asked time.Duration) action {
	next := m.scheduleRetry(m.backoff(fault))
	if asked <= 0 && fault.shared() {
		next.early = min(doubled(m.cfg.MinBackoff, m.earlyRetries, m.cfg.MaxBackoff), next.wait)
	}
	if asked > 0 {
		bounded := m.withJitter(min(asked, m.cfg.MaxBackoff))
		if fault == Expired || fault == Ahead || fault == Absent {
			bounded = max(bounded, next.wait) // a list is expensive for the server
		}
		next.wait = bounded
	}
	if asked > m.cfg.MaxBackoff {
		m.health.Err = fmt.Errorf("%w; the server requested a wait of %v; retrying in %v", m.health.Err, asked, next.wait.Round(time.Millisecond))
		m.health.LastErr = m.health.Err
	}
	m.attempts[fault.slow()]++
	return next
}

// scheduleRetry waits for delay, and then continues with the watch, the page or the list.
func (m *machine) scheduleRetry(delay time.Duration) action {
	switch {
	case m.version != 0:
		m.next = openWatch
	case m.state == openList || m.state == inList:
		m.next = openList // the same page again; its objects are delivered again
	case m.paged || m.cutStreams >= maxCutStreams:
		m.next = openList
	default:
		m.next = openStream
	}
	m.state = waiting
	m.health.Phase = Waiting
	return action{kind: doWait, wait: delay}
}

// backoff doubles from MinBackoff to MaxBackoff, or to SlowRetry for a fault that may
// need an administrator. The two kinds of faults are counted separately: a server that
// recovers from an outage may at first deny requests that it allows a second later.
func (m *machine) backoff(fault Fault) time.Duration {
	bound := m.cfg.MaxBackoff
	if fault.slow() == 1 {
		bound = m.cfg.SlowRetry
	}
	return m.withJitter(doubled(m.cfg.MinBackoff, m.attempts[fault.slow()], bound))
}

// doubled doubles d n times, up to a bound.
func doubled(d time.Duration, n int, bound time.Duration) time.Duration {
	for ; n > 0 && d < bound; n-- {
		if d > bound/2 {
			return bound
		}
		d *= 2
	}
	return min(d, bound)
}

// withJitter adds up to half of d at random, so that clients of one failed server do not all
// return at the same time.
func (m *machine) withJitter(d time.Duration) time.Duration {
	return d + min(m.randomUpTo(d/2), math.MaxInt64-d)
}

func (m *machine) randomUpTo(d time.Duration) time.Duration {
	return time.Duration(float64(d) * m.random())
}
