package reflector

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// failWith is fail for a fault that the machine itself has found.
func (m *machine) failWith(err error) action { return m.fail(&input{err: err}) }

// fail returns the action after a fault: what to request next, and when.
func (m *machine) fail(in *input) action {
	err := in.err
	if errors.Is(err, ErrSourceEnded) {
		return m.endSource(err)
	}
	fault, asked := classify(err)
	m.took += in.lasted
	switch m.state {
	case openStream, openList, openWatch, openProbe, inProbe:
	default:
		m.unproductive = m.unproductive || !m.productive || errors.Is(err, errDeaf)
	}
	well := m.health.Err == nil
	m.health.Err, m.health.Fault, m.health.LastErr = err, fault, err
	if well && m.state == openStream && fault == Unsupported {
		m.clearFault() // not a fault: the server only lacks streaming lists
	}
	switch m.state {
	case openProbe, inProbe:
		return m.probeFault(fault, asked)
	case openStream, inStream, openList, inList:
		return m.listFault(fault, asked)
	}
	return m.watchFault(in, fault, asked)
}

// probeFault returns the action after a probe that failed. A version that is older than the
// known one is an answer.
func (m *machine) probeFault(fault Fault, asked time.Duration) action {
	if fault == Ahead {
		return m.lostVersion(fault, asked)
	}
	if l := &m.ladder; l.checking {
		if l.restarted = noConnection(m.health.LastErr); l.restarted {
			return m.waitBeforeRetry(fault, asked)
		}
		return m.enter(openWatch) // the check is auxiliary
	}
	m.ladder.unproven++
	m.ladder.outage = true
	return m.waitBeforeRetry(fault, asked)
}

// watchFault returns the action after a fault of a watch.
func (m *machine) watchFault(in *input, fault Fault, asked time.Duration) action {
	switch fault {
	case Expired, Ahead, Absent, Replaced:
		return m.lostVersion(fault, asked)
	}
	if m.mayHaveMissed() {
		return m.lostVersion(fault, asked)
	}
	l := &m.ladder
	l.refused = m.state == openWatch && in.lasted < muteTime
	if !l.heard && in.lasted >= muteTime && l.short == 0 {
		l.mute(in.err, m.state == openWatch)
	} else if l.short > 0 {
		l.short = max(l.short-1, 1)
	}
	if l.polls == 0 {
		l.fault, l.err = fault, in.err
	}
	proven, listless := l.proven, m.cfg.Lists == NeverList
	l.proven = false
	switch {
	case noConnection(in.err):
		l.restarted = true
		return m.waitBeforeRetry(fault, asked)
	case l.polls > 0 && !listless:
		return m.waitToPoll()
	}
	l.rounds++
	lasting := l.rounds > quickRounds
	switch {
	case proven && l.rounds > 1 || errors.Is(in.err, errDeaf) && !listless:
		return m.listInstead(in.err)
	case l.rounds == 1 || (asked > 0 || passing(fault, in.err)) && !lasting:
	case listless || !lasting && l.unproven == 0:
		return m.enter(openProbe)
	case !lasting || l.rounds%2 == 0:
		return m.listInstead(in.err)
	}
	return m.waitBeforeRetry(fault, asked)
}

// listInstead lists because resuming the watch does not help.
func (m *machine) listInstead(err error) action {
	if m.cfg.Lists == NeverList {
		return m.endListless(err)
	}
	m.ladder.relisting = true
	return m.beginList(m.ladder.firstForm())
}

// listFault returns the action after a fault of a list: the same page again, another form
// of the list at once, or the end of the round.
func (m *machine) listFault(fault Fault, asked time.Duration) action {
	l := &m.ladder
	l.outage = m.state == openStream || m.state == openList
	patience := maxListFaults
	if l.form != Stream && m.token != "" {
		patience = maxPageFaults
		if fault == Expired || fault == Unsupported { // the token is lost, or not understood
			m.token = ""
			m.lostTokens++
		}
	}
	if !noConnection(m.health.LastErr) {
		l.listFaults++
	}
	again := m.token != "" || m.lostTokens > 0 || fault == Stalled ||
		(asked > 0 || passing(fault, m.health.LastErr)) && l.nextPause == 0 && l.lists == 0
	if again && l.listFaults < patience {
		return m.waitBeforeRetry(fault, asked)
	}
	if form, ok := l.nextForm(fault, errors.Is(m.health.LastErr, errIdle)); ok && !noConnection(m.health.LastErr) {
		return m.beginList(form)
	}
	if fault == Absent && m.version != 0 {
		return m.lostVersion(fault, asked)
	}
	return m.endRound(fault, asked)
}

// endRound ends a round in which no list was complete. If a watch can resume, the next
// round begins with it, and the sink drops what it has of the list.
func (m *machine) endRound(fault Fault, asked time.Duration) action {
	l := &m.ladder
	if l.tried = 0; !noConnection(m.health.LastErr) {
		l.lists++
	}
	l.relisting = false
	m.abandoned = m.version != 0 && m.begun
	m.state = openWatch
	return m.waitBeforeRetry(fault, asked)
}

// lostVersion returns the action after a fault that makes the known version worthless.
func (m *machine) lostVersion(fault Fault, asked time.Duration) action {
	if m.version != 0 && m.cfg.Lists == NeverList {
		return m.endListless(m.health.Err)
	}
	if m.version != 0 && m.cfg.Lists == EndIfRestored && fault == Ahead {
		return m.endRestored(m.health.Err)
	}
	quick := m.watched && m.relists == 0 && (fault == Expired || fault == Replaced) && asked == 0
	if fault == Replaced {
		m.highest = 0 // the versions of another cluster may be smaller
	}
	m.forget(fault)
	m.state, m.ladder.rounds, m.ladder.proven, m.ladder.relisting = openWatch, 0, false, false
	if m.ladder.short == 1 {
		m.ladder.short = 0
	}
	if quick {
		// The server answers, and consumers get no events until the list is complete, so
		// the reflector asks at once, but with a random delay between clients, and
		// not repeatedly.
		m.attempts = [2]int{}
		return m.scheduleRetry(m.randomUpTo(m.cfg.MinBackoff / 2))
	}
	next := m.waitBeforeRetry(fault, asked)
	if m.relists > quickRounds {
		next.wait += next.wait * 2 / 3 // for a list and a watch
	}
	return next
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

// endRestored ends the run because err shows that the server has lost versions.
func (m *machine) endRestored(err error) action {
	return m.end(fmt.Errorf("%w: %w", ErrRestored, err))
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
	wait := next.wait - m.took // the wait bounds the number of requests
	if m.ladder.lasts() {
		wait = min(wait+time.Duration(m.sent-1)*next.wait*3/5, m.cfg.MaxBackoff*3/2)
	}
	next.wait = max(wait, min(next.wait, m.cfg.MinBackoff))
	m.took, m.sent = 0, 0
	if asked <= 0 && fault.shared() {
		// The lists of siblings are recoveries too. They must not keep up lists whose watches fail.
		next.early = min(doubled(m.cfg.MinBackoff, max(m.earlyRetries, m.relists-1), m.cfg.MaxBackoff), next.wait)
	}
	if asked > 0 {
		bounded := m.withJitter(min(asked, m.cfg.MaxBackoff))
		if fault == Expired || fault == Ahead || fault == Absent || m.ladder.lasts() {
			bounded = max(bounded, next.wait) // a list is expensive, and a short wait has not helped
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

// scheduleRetry waits for delay, and then continues with the list, the page or the watch.
func (m *machine) scheduleRetry(delay time.Duration) action {
	switch m.state {
	case openStream, inStream:
		m.next = openStream
	case openList, inList:
		m.next = openList // the same page again; its objects are delivered again
	default:
		if m.next = openWatch; m.version == 0 {
			m.next = m.prepareList(m.ladder.firstForm())
		}
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
