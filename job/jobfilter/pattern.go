package jobfilter

import "strings"

// pattern is a text that is split at its wildcards. Each * matches any text.
type pattern struct {
	parts []string // between the wildcards; one part: no wildcard
}

func newPattern(text string) pattern { return pattern{strings.Split(text, "*")} }

// matches reports whether an entire text matches. It takes each part at its first position,
// which suffices, and never backtracks.
func (p pattern) matches(text string) bool {
	last := len(p.parts) - 1
	if last == 0 {
		return text == p.parts[0]
	}
	rest, ok := strings.CutPrefix(text, p.parts[0])
	if !ok {
		return false
	}
	for _, part := range p.parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, p.parts[last])
}

// within reports whether a part of a text matches.
func (p pattern) within(text string) bool {
	for _, part := range p.parts {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}
