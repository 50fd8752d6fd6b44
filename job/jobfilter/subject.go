package jobfilter

import (
	"slices"
	"time"
)

// Subject is a job that a filter is matched against.
type Subject interface {
	// Text returns the value of a text key.
	Text(Key) string
	// Number returns GPUs, Pods or Tries, or -1 if the number is unknown.
	Number(Key) int
	// Duration returns Waited or Ran.
	Duration(Key) time.Duration
	// Time returns Submitted, Ended or Since, or zero if the time is not set yet.
	Time(Key) time.Time
	// LabelSet returns the labels. The caller must not change them.
	LabelSet() map[string]string
}

// Matcher matches jobs one by one. It is immutable and safe for concurrent use.
type Matcher struct {
	now   time.Time
	mine  []string
	terms []Term
	tests []*Test
	words Words
}

// Compile returns a matcher. mine are the names of the person, for the key Mine.
func (f Filter) Compile(now time.Time, mine []string) *Matcher {
	m := &Matcher{now: now, mine: mine, terms: f.Terms, words: f.CompileWords()}
	for _, t := range f.Terms {
		m.tests = append(m.tests, t.Compile(now))
	}
	return m
}

// Match reports whether the filter selects a job.
func (m *Matcher) Match(s Subject) bool {
	if !m.words.Name(s.Text(Name)) {
		return false
	}
	for i, t := range m.tests {
		if !m.passes(m.terms[i].Key, t, s) {
			return false
		}
	}
	return true
}

// passes reports whether a job passes one term.
func (m *Matcher) passes(key Key, t *Test, s Subject) bool {
	switch key {
	case Label:
		return t.Labels(s.LabelSet())
	case GPUs, Pods, Tries:
		n := s.Number(key)
		return t.Number(int64(n), n >= 0)
	case Waited, Ran:
		return t.Duration(s.Duration(key))
	case Submitted, Ended, Since:
		at := s.Time(key)
		if at.IsZero() {
			return t.Time(0)
		}
		return t.Time(at.UnixMicro())
	case Window:
		ended := s.Time(Ended)
		return ended.IsZero() || !ended.Before(m.now.Add(-t.Window()))
	case Mine:
		owner := s.Text(Owner)
		return owner != "" && slices.Contains(m.mine, owner)
	}
	return t.Text(s.Text(key))
}
