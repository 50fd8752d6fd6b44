package jobindex

import (
	"math"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// instant is the time for which rows are computed.
type instant struct {
	at   int64 // in microseconds since 1970
	past bool  // not now: later changes are ignored
}

// moment has the fields of a job that depend on the instant.
type moment struct {
	state       uint8
	presence    uint8
	changed     bool // the job has changed its state since
	since       int64
	ended       int64 // 0: open
	deleted     int64
	waited, ran int64 // in microseconds
	tries       int
	reason      uint32
}

// momentReader has buffers for lives. Each view has its own.
type momentReader struct {
	*table
	entries []job.Transition
	life    job.Life
}

// triesOf returns the number of the last attempt of a job.
func (t *table) triesOf(row uint32) int { return max(int(t.tries[row]), int(t.attempt[row])) }

// endedOf returns when a job ended; 0 means open.
func (t *table) endedOf(row uint32) int64 {
	if t.states.final[t.state[row]] {
		return t.since[row]
	}
	return 0
}

// until returns when the last span of an open job ends; 0 if later changes are unknown.
func (m *moment) until(at int64) int64 {
	if !m.seen() {
		return 0
	}
	return at
}

func (m *moment) seen() bool { return history.Presence(m.presence).Seen() }

// read sets m to the moment of a row. The row must have existed at the instant.
func (r *momentReader) read(row uint32, i instant, m *moment) {
	t := r.table
	*m = moment{
		state: t.state[row], presence: t.presence[row], since: t.since[row], deleted: t.deleted[row], waited: t.waited[row], ran: t.ran[row],
		tries: t.triesOf(row), reason: t.reason[row],
	}
	if i.past && m.deleted > i.at {
		m.deleted, m.presence = 0, uint8(history.Present)
	}
	if i.past && m.since > i.at {
		r.readPast(row, i, m)
		return
	}
	m.ended = t.endedOf(row)
	if last := t.states.all[t.last[row]]; t.last[row] != 0 {
		open := max(0, m.until(i.at)-t.from[row])
		switch {
		case last.Waits():
			m.waited += open
		case last == job.Running:
			m.ran += open
		}
	}
}

// readPast sets m to the moment of a job that has changed its state since.
func (r *momentReader) readPast(row uint32, i instant, m *moment) {
	t := r.table
	submitted := t.submitted[row]
	r.entries = t.states.entries(r.entries[:0], t.lives.at(t.life[row]), submitted, i.at)
	m.changed, m.presence, m.reason = true, uint8(history.Present), 0
	m.state, m.since = t.states.code(job.Submitted), submitted
	if n := len(r.entries); n > 0 {
		m.state, m.since = t.states.code(r.entries[n-1].To), micros(r.entries[n-1].At)
	}
	if t.states.final[m.state] {
		m.ended = m.since
	}
	r.life.Reset(timeOf(submitted), r.entries, timeOf(m.until(i.at)))
	m.waited, m.ran, m.tries = r.life.Waited.Microseconds(), r.life.Ran.Microseconds(), r.life.Attempts
}

// spans sets the life of a row with a moment. It reuses the array of row.Life.
func (r *momentReader) spans(row uint32, i instant, m *moment, to *Row) {
	t := r.table
	until := int64(math.MaxInt64)
	if m.changed {
		until = i.at
	}
	r.entries = t.states.entries(r.entries[:0], t.lives.at(t.life[row]), t.submitted[row], until)
	life := job.Life{Spans: to.Life}
	life.Reset(to.Submitted, r.entries, timeOf(m.until(i.at)))
	to.Life, to.Started, to.FirstWait = life.Spans, life.Started, life.FirstWait
	if gaps := t.gapsOf[gapScope{to.ClusterUID, to.Type}]; gaps != nil {
		to.Life = hatch(to.Life, gaps, to.Namespace, timeOf(i.at))
	}
	if n := len(to.Life); m.ended == 0 && n > 0 && m.seen() {
		to.Life[n-1].To = time.Time{}
	}
}

// hatch cuts gaps of a namespace out of spans. An instant in the past ends gaps that began
// before it.
func hatch(spans []job.Span, gaps []history.Gap, namespace string, at time.Time) []job.Span {
	var some []job.Interval
	for n := range gaps {
		if g := &gaps[n]; g.Namespace == "" || g.Namespace == namespace {
			some = append(some, g.Interval(at))
		}
	}
	if some == nil {
		return spans
	}
	return job.Hatch(spans, some)
}
