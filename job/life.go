package job

import "time"

// Life is the life of one object up to an instant. All readers of transitions take their numbers
// from it, so they agree. LifeOf has the rules.
type Life struct {
	// Spans are the states of the job except the final one, in order.
	Spans []Span
	// Submitted is the creation time, or the first transition if that is unknown. Queued and
	// Started are when the job first entered the states Queued and Running, and Ended is when it
	// entered its outcome. Zero means not yet.
	Submitted, Queued, Started, Ended time.Time
	// Outcome is the state with which the job ended, "" if it is open, and Reason is the reason
	// of that transition.
	Outcome State
	Reason  string
	// Waited is the total time in the states Submitted and Queued, and Ran is the total time in
	// the state Running. FirstWait is the part of Waited before the first run.
	Waited, Ran, FirstWait time.Duration
	// Attempts is the number of the current or last attempt; of the next one while the job
	// restarts. It is at least 1.
	Attempts int
	// Whole means that the life is known from its beginning. Otherwise there may have been
	// earlier states, runs and attempts.
	Whole bool
}

// lateSight is the delay from which the first transition of a job leaves a gap after its
// creation. API servers have whole seconds.
const lateSight = time.Second

// LifeOf returns the life of an object from its creation time, which may be zero, and its
// transitions in the order of their versions, as they are recorded now: late and corrected
// transitions are in their places, and withdrawn ones are gone. The transitions must be those of
// one UID; an object with the same name and another UID has another life. The state of an open job
// lasts until an instant. That is zero if the last state has no known end, because the object
// cannot be seen; its span is then empty.
//
// The rules:
//
//   - A state lasts until the next transition, also across a gap in the observation. A transition
//     that was inferred counts like others, and marks its span.
//   - A job whose first known state is a wait has waited since its creation. If another state is the
//     first one, a second or more after the creation, the life begins with a gap, which counts
//     neither as a wait nor as a run.
//   - Clocks differ: a transition that seems to precede the previous one is simultaneous with it. No
//     span has a negative length.
//   - An attempt begins with Starting or Running. It ends when the job restarts, waits or is
//     suspended again, or ends; its pods are gone then. So a job that was preempted and requeued, or
//     suspended and resumed, runs in a new attempt, whatever the object itself counts.
//   - Starting after Running is the same attempt, and so is a state that is unknown.
//   - While a job restarts, and then waits for its next start, the number of attempts includes the
//     next one. If the job ends instead, it does not.
//   - A job that is first seen while it restarts has had one attempt.
//   - A job may leave a final state: an aborted job of Volcano can be resumed. It is then open again,
//     and its next start is a new attempt. Time in a final state belongs to no span.
//   - A deletion that is followed by another state was inferred in error. It ends no attempt.
func LifeOf(created time.Time, all []Transition, until time.Time) Life {
	var l Life
	l.Reset(created, all, until)
	return l
}

// Reset sets l to the result of LifeOf. It reuses the array of l.Spans, and allocates nothing else.
func (l *Life) Reset(created time.Time, all []Transition, until time.Time) {
	*l = Life{Spans: l.Spans[:0], Submitted: created, Attempts: 1}
	if len(all) == 0 {
		return
	}
	l.begin(created, &all[0])
	var c attemptCounter
	to := all[0].At // of the previous transition
	for i := range all {
		t := &all[i]
		from := to
		if to = until; i+1 < len(all) {
			to = all[i+1].At
		}
		if to.Before(from) {
			to = from
		}
		if i == 0 && t.To.Waits() && created.Before(from) && !created.IsZero() {
			from = created
		}
		c.enter(t.To)
		if t.To.Final() {
			continue
		}
		l.add(t.To, from, to.Sub(from))
		l.Spans = append(l.Spans, Span{State: t.To, From: from, To: to, Inferred: t.Inferred, Attempt: c.begun})
	}
	l.Attempts = c.number()
	if t, ended := Outcome(all); ended {
		l.Outcome, l.Ended, l.Reason = t.To, t.At, t.Reason
	}
}

// begin sets what follows from the first transition.
func (l *Life) begin(created time.Time, first *Transition) {
	late := !created.IsZero() && first.At.Sub(created) >= lateSight
	l.Whole = !late
	switch {
	case created.IsZero():
		l.Submitted = first.At
		l.Whole = first.To.BeforeStart() || first.To == Starting
	case first.To.Waits():
		l.Whole = true
	case late:
		l.Spans = append(l.Spans, Span{From: created, To: first.At, Gap: true})
	}
}

// add adds the time in a state to the sums.
func (l *Life) add(s State, from time.Time, length time.Duration) {
	switch {
	case s == Running:
		if l.Ran += length; l.Started.IsZero() {
			l.Started = from
		}
	case s.Waits():
		l.Waited += length
		if l.Started.IsZero() {
			l.FirstWait += length
		}
		if s == Queued && l.Queued.IsZero() {
			l.Queued = from
		}
	}
}

// Open reports whether the job has not ended.
func (l *Life) Open() bool { return l.Outcome == "" }

// Restarts returns how often the job restarted, including a restart that has not led to a new
// attempt yet.
func (l *Life) Restarts() int { return l.Attempts - 1 }

// attemptCounter numbers attempts.
type attemptCounter struct {
	begun int
	over  bool // the last attempt has ended, and the next one has not begun
	again bool // the next one is announced
}

// enter counts a state.
func (c *attemptCounter) enter(s State) {
	switch {
	case s == Starting || s == Running:
		if c.begun == 0 || c.over {
			c.begun++
		}
		c.over, c.again = false, false
	case s == Restarting:
		c.begun = max(c.begun, 1)
		c.over, c.again = true, true
	case s.BeforeStart():
		c.over = c.begun > 0
	case s.Final():
		c.over, c.again = c.over || s != Deleted, false
	}
}

// number returns the number of the current or next attempt.
func (c *attemptCounter) number() int {
	if c.again {
		return c.begun + 1
	}
	return max(c.begun, 1)
}
