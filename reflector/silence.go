package reflector

import (
	"errors"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// answerTimeout bounds the wait for the answer to a watch.
func (m *machine) answerTimeout() time.Duration { return min(m.cfg.IdleTimeout, answerTimeout) }

// pageSilence bounds the wait for the answer to a page, and for the next object of it.
func (m *machine) pageSilence() time.Duration {
	switch {
	case m.state == inProbe:
		return m.probeSilence()
	case m.state == inList && m.ladder.form == OnePage:
		return m.cfg.IdleTimeout
	}
	return min(m.cfg.IdleTimeout, pageTimeout)
}

// probeSilence bounds the wait for the answer to a probe.
func (m *machine) probeSilence() time.Duration {
	if m.ladder.checking {
		return min(m.cfg.IdleTimeout, checkTimeout)
	}
	return min(m.cfg.IdleTimeout, probeTimeout)
}

// afterRestart returns the state that replaces next. Before a watch resumes at a server that did
// not answer, a probe asks for its version: etcd may have been restored from a backup, and a
// kube-apiserver accepts a watch from the future and is silent until it catches up
// (kubernetes/kubernetes#107457). If it catches up soon, silence would not tell.
func (m *machine) afterRestart(next state) state {
	l := &m.ladder
	l.checking = l.restarted && next == openWatch && m.version != 0 && m.health.Order != delta.ByArrival
	if l.checking {
		l.restarted = false
		return openProbe
	}
	return next
}

// drawSilence draws how long the next watch may be silent. The random part keeps the many
// informers of a server that sends no bookmarks from asking it at the same time.
func (m *machine) drawSilence() {
	m.ladder.heard = false
	m.idle = m.cfg.IdleTimeout + m.randomUpTo(m.cfg.IdleTimeout/3)
}

// silence bounds the wait for the next event of a watch.
func (m *machine) silence() time.Duration {
	if m.ladder.short > 0 {
		return min(m.cfg.IdleTimeout, shortWatchTimeout+shortWatchGrace)
	}
	return m.idle
}

// silent handles a watch that was open, and brought nothing for so long that silence proves
// nothing: the server may have been restored from a backup (kubernetes/kubernetes#107457),
// or a proxy may hold back the events. A list of one object tells the version of the server,
// and the next watch is a short one.
func (m *machine) silent(in *input) action {
	l := &m.ladder
	if !l.heard && (l.short > 0 || l.deaf || l.polls > 0) {
		in.err = errDeaf
		return m.fail(in)
	}
	if l.short > 0 { // the server does not end watches when they are due
		l.short = 0
		return m.begin()
	}
	l.silences++
	l.short = 1
	if l.silences%2 == 1 && m.health.Order != delta.ByArrival {
		return m.enter(openProbe)
	}
	return m.begin()
}

// stepProbe handles the objects of a list that was requested only for its version.
func (m *machine) stepProbe(in *input) action {
	switch in.kind {
	case inItem, inInvalid:
		return m.read()
	case inPageEnd:
		if v := in.meta.Version; v != 0 && v < m.version && m.health.Order != delta.ByArrival {
			return m.failWith(&behindError{v, m.version})
		}
		m.ladder.proven, m.ladder.behind = !m.ladder.checking, in.meta.Version > m.version
		return m.begin()
	}
	return m.fail(in)
}

// listCompleted records a complete list. before is the version that was known before it.
func (m *machine) listCompleted(before wire.Version) {
	l := &m.ladder
	if l.relisting {
		m.health.Relists.Stuck++
		if m.version != before {
			m.health.LastGap = Gap{From: before}
		}
		l.polls++
		if errors.Is(l.err, errDeaf) && m.highestListed <= before {
			l.works() // the watch was silent because nothing had happened
			l.short, l.deaf = 0, true
		}
	}
	l.listed()
	l.relisting = false
}

// afterListed returns the action after a list that no watch continues: a watch, or while
// polling mostly the next list.
func (m *machine) afterListed() action {
	if polls := m.ladder.polls; polls <= 1 || polls%watchEvery == 0 {
		return m.enter(openWatch)
	}
	return m.waitToPoll()
}

// waitToPoll waits until the next list that replaces a watch. The fault of the watch stays.
func (m *machine) waitToPoll() action {
	l := &m.ladder
	m.health.Fault, m.health.Err, m.unproductive = l.fault, l.err, true
	l.relisting = true
	m.next = m.prepareList(l.firstForm())
	m.state, m.health.Phase = waiting, Waiting
	return action{kind: doWait, wait: m.withJitter(doubled(m.cfg.MinBackoff, max(l.polls, m.attempts[0]), m.cfg.MaxBackoff))}
}
