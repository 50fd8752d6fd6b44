package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
)

// Limits of a rule.
const (
	maxName     = 80 // bytes
	maxDuration = 366 * 24 * time.Hour
	minDigest   = time.Minute
	maxDigest   = 24 * time.Hour
	maxFlap     = 1000 // changes
)

// Problem is a mistake in a rule.
type Problem struct {
	// Field is the wrong field of the file, or "" for the rule as a whole.
	Field string
	Text  string
}

// Check returns the mistakes of a rule: values out of range, and conditions that no
// transition meets. It does not check the names of channels and people.
func (r *Rule) Check() []Problem {
	c := &checker{}
	c.name(r.Name)
	c.selection(r)
	c.delivery(r)
	if r.Timer != nil {
		c.timer(r.Timer)
	}
	if len(c.problems) == 0 {
		c.possible(r)
	}
	return c.problems
}

type checker struct{ problems []Problem }

func (c *checker) complain(field, format string, args ...any) {
	c.problems = append(c.problems, Problem{field, fmt.Sprintf(format, args...)})
}

func (c *checker) name(name string) {
	switch {
	case idOf(name) == "":
		c.complain("name", "the name %q has no letter and no digit", name)
	case len(name) > maxName:
		c.complain("name", "the name has %d bytes; at most %d are allowed", len(name), maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		c.complain("name", "the name %q has characters that cannot be printed", name)
	}
}

func (c *checker) selection(r *Rule) {
	c.names("clusters", r.Clusters)
	c.names("namespaces", r.Namespaces)
	c.names("queues", r.Queues)
	for _, g := range r.Namespaces {
		if strings.ContainsFunc(string(g), func(r rune) bool { return !namespaceRune(r) }) {
			c.complain("namespaces", "no namespace has a name like %q; names have small letters, digits and dashes, * is any text, and ? one character", g)
		}
	}
	c.states("enter", r.Enter)
	c.states("leave", r.Leave)
	switch {
	case r.Timer != nil && len(r.Enter)+len(r.Leave) > 0:
		c.complain("", "a rule has states (enter, leave) or a timer (%s), not both: make two rules", r.Timer.Kind)
	case r.Timer == nil && len(r.Enter)+len(r.Leave) == 0 && r.When == nil:
		c.complain("", "the rule does not say when it applies: add enter, leave, when, waits, runs, near-deadline or no-progress")
	}
}

func (c *checker) names(field string, globs []glob.Pattern) {
	if slices.Contains(globs, "") {
		c.complain(field, "%s has an empty name", field)
	}
}

func (c *checker) states(field string, states []job.State) {
	for i, s := range states {
		switch {
		case !slices.Contains(job.States(), s):
			c.complain(field, "there is no state %q; the states are %s", s, joinStates())
		case slices.Contains(states[:i], s):
			c.complain(field, "%s has %s twice", field, s)
		}
	}
}

func namespaceRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '*' || r == '?'
}

func joinStates() string {
	var words []string
	for _, s := range job.States() {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

func (c *checker) delivery(r *Rule) {
	if len(r.To) == 0 {
		c.complain("to", "the rule names no receiver: add to, with owner, channels or people")
	}
	if len(r.Fallback) > 0 && !slices.ContainsFunc(r.To, func(t Target) bool { return t.Kind == Owner }) {
		c.complain("fallback", "fallback is for jobs without a known owner, and to does not have owner")
	}
	if slices.ContainsFunc(r.Fallback, func(t Target) bool { return t.Kind == Owner }) {
		c.complain("fallback", "fallback is for jobs without a known owner, and cannot be owner")
	}
	if r.Language != "" && r.Language != "en" && r.Language != "zh" {
		c.complain("language", "the language %q is not known; write en or zh", r.Language)
	}
	if r.Now && r.Digest != nil {
		c.complain("now", "a rule is sent now or in a digest, not both")
	}
	if r.Urgent && r.Quiet != nil {
		c.complain("urgent", "an urgent rule has no quiet hours: remove one of them")
	}
	if d := r.Digest; d != nil && (d.Every < minDigest || d.Every > maxDigest) {
		c.complain("digest", "a digest is sent every %s; it must be between %s and %s", d.Every, minDigest, maxDigest)
	}
	if f := r.Flap; f != nil {
		if f.Changes < 1 || f.Changes > maxFlap {
			c.complain("flap", "changes is %d; it must be between 1 and %d", f.Changes, maxFlap)
		}
		c.duration("flap", "within", f.Within)
	}
	if e := r.Escalate; e != nil {
		c.duration("escalate", "after", e.After)
		if len(e.To) == 0 {
			c.complain("escalate", "escalate names no receiver: add to")
		}
	}
}

func (c *checker) timer(t *Timer) {
	field := t.Kind.String()
	if usual := t.Kind == WaitsLongerThanUsual || t.Kind == RunsLongerThanUsual; !usual || t.After != 0 {
		c.duration(field, "the time", t.After)
	}
	switch {
	case t.Kind == NoProgress && len(t.Signals) == 0:
		c.complain(field, "no-progress needs a signal: log, annotation NAME or status FIELD")
	case t.Kind != NoProgress && len(t.Signals) > 0:
		c.complain(field, "%s has no signal", field)
	case t.Kind < Waits || t.Kind > NoProgress:
		c.complain(field, "the kind %d of timer is not known", t.Kind)
	}
}

func (c *checker) duration(field, what string, d time.Duration) {
	if d <= 0 || d > maxDuration {
		c.complain(field, "%s is %s; it must be more than 0 and at most a year", what, d)
	}
}

// possible reports rules that no transition meets.
func (c *checker) possible(r *Rule) {
	states := append([]job.State{""}, job.States()...)
	selected, holds := false, r.When == nil
	for _, from := range states {
		for _, to := range states {
			for _, queue := range []string{"", "queue"} {
				in := &Input{Object: Object{Queue: queue}, Old: View{State: from}, New: View{State: to}}
				if !follows(from, to) || !r.selectsStates(in) {
					continue
				}
				selected = true
				holds = holds || r.When.mayHold(in)
			}
		}
	}
	switch {
	case !selected:
		c.complain("enter", "no job leaves %s for %s", r.Leave, r.Enter)
	case !holds:
		c.complain("when", "the condition %q never holds: check the names of states (%s), and that they fit enter, leave and the timer", first(r.When.text), joinStates())
	}
}

// follows reports whether a job can change from one state to another. The raw state may
// change without the common state.
func follows(from, to job.State) bool {
	return from == to || from != job.Deleted && (!from.Final() || to == job.Deleted)
}
