package message

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/job"
)

// speaker fills patterns with the fields of a notice.
type speaker struct {
	n     *Notice
	words *words
	clock clock
	rule  string
	role  string
	// due is the original time of a message that is sent again.
	due time.Time
	// extra are fields that are not in the notice: the title of an escalated message, the
	// counts of a digest.
	extra map[string]string
	// find returns the value of a field of the notice, or "" if it is unknown.
	find func(s *speaker, name string) string
}

// about returns a speaker about another notice with the same words.
func (s *speaker) about(n *Notice) *speaker {
	other := *s
	other.n, other.extra = n, nil
	return &other
}

// with returns a speaker with additional fields.
func (s *speaker) with(extra map[string]string) *speaker {
	other := *s
	other.extra = extra
	return &other
}

// say returns the text of a pattern, or "" if a required field is unknown.
func (s *speaker) say(p pattern) string { return s.fill(p, false) }

// sayShort is like say, without the optional parts.
func (s *speaker) sayShort(p pattern) string { return s.fill(p, true) }

func (s *speaker) fill(p pattern, short bool) string {
	text, ok := p.fill(make([]byte, 0, 160), s.get, short)
	if !ok {
		return ""
	}
	return string(text)
}

// get returns the value of a field, and whether it is known.
func (s *speaker) get(name string) (string, bool) {
	value, ok := s.extra[name]
	if !ok {
		value = s.find(s, name)
	}
	return value, value != "" || name == "on"
}

// stateWord returns the word for a state in the language.
func (s *speaker) stateWord(of job.State) string {
	if word := s.words.states[of]; word != "" {
		return word
	}
	return string(of)
}

// reason returns the word for the reason in a title.
func (s *speaker) reason() string {
	reason := s.n.Cause.Reason
	if p, ok := s.words.reasons[reason]; ok {
		return s.say(p)
	}
	if reason != "" {
		return string(reason)
	}
	if why, ok := strings.CutPrefix(s.n.Message, s.n.Actor+": "); ok && s.n.Reason == Cancelled && s.n.Actor != "" {
		return shorten(why)
	}
	return s.n.Reason
}

// refused returns the first sentence of the scheduler about a job whose pods have no node.
func (s *speaker) refused() string {
	if !job.Unplaced(s.n.Reason) {
		return ""
	}
	first, _, _ := strings.Cut(s.n.Message, ". ")
	return strings.TrimRight(first, ". ")
}

// Cancelled is the reason of a cancelled job. Its message names the actor and, after a
// colon, the reason that the actor gave.
const Cancelled = "Cancelled"

// maxReason is the maximum number of characters of a reason in a title.
const maxReason = 60

func shorten(text string) string {
	if all := []rune(text); len(all) > maxReason {
		return string(all[:maxReason-1]) + "…"
	}
	return text
}

// brief returns the cause in a few words, for a digest.
func (s *speaker) brief() string {
	if p, ok := s.words.brief[s.n.Cause.Reason]; ok {
		return s.say(p)
	}
	return s.reason()
}

// cause returns the cause as the end of a sentence.
func (s *speaker) cause() string {
	p, ok := s.words.causes[s.n.Cause.Reason]
	if !ok {
		p = s.words.causes[""]
		if s.n.Cause.ExitCode != nil {
			p = s.words.causes[ExitError]
		}
	}
	return s.say(p)
}

// fieldOf returns the value of a field, or "" if it is unknown.
func (s *speaker) fieldOf(name string) string {
	value, _ := s.get(name)
	return value
}

// capital returns a text with a capital first letter.
func capital(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// spaced returns a Latin text with a space before it for a Han sentence.
func spaced(text string) string {
	if text != "" && text[0] < utf8.RuneSelf {
		return " " + text
	}
	return text
}

// enclosed is like spaced, with a space after it too.
func enclosed(text string) string {
	if text = spaced(text); text != "" && text[len(text)-1] < utf8.RuneSelf {
		return text + " "
	}
	return text
}

// firstTime returns the first non-zero time.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// or returns the first non-empty text.
func or(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// positive formats a number for which zero means unknown.
func positive(n int, write func(int) string) string {
	if n <= 0 {
		return ""
	}
	return write(n)
}

// number formats a number that may be unknown. It treats a negative number as unknown.
func number(n *int, write func(int) string) string {
	if n == nil {
		return ""
	}
	return write(max(0, *n))
}

// span formats a duration for which zero means unknown.
func span(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return Duration(d)
}

// pointed formats a duration that may be unknown.
func pointed(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return Duration(*d)
}

func (s *speaker) minutes(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return s.clock.minutes(t)
}

func (s *speaker) date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return s.clock.date(t)
}

func (s *speaker) index() string {
	if s.n.Cause.Index == nil {
		return ""
	}
	return strconv.Itoa(*s.n.Cause.Index)
}

// retriesLeft formats the number of remaining retries.
func (s *speaker) retriesLeft(write func(int) string) string {
	if s.n.Attempt <= 0 || s.n.Attempts <= 0 {
		return ""
	}
	return write(max(0, s.n.Attempts-s.n.Attempt))
}

// limitOf returns the limit of a cause.
func (s *speaker) limitOf(reason Reason) string {
	if s.n.Cause.Reason != reason {
		return ""
	}
	return s.n.Cause.Limit
}

func (s *speaker) escalated(write func(*Escalated) string) string {
	if s.n.Escalated == nil {
		return ""
	}
	return write(s.n.Escalated)
}

func (s *speaker) gap(write func(*Gap) string) string {
	if s.n.Gap == nil {
		return ""
	}
	return write(s.n.Gap)
}

func (s *speaker) log(write func(*Log) string) string {
	if s.n.Log == nil {
		return ""
	}
	return write(s.n.Log)
}
