package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/glob"
)

// labelsField is the field of the labels of an object.
const labelsField = "labels"

// maxMatcher is the maximum number of bytes of a matcher.
const maxMatcher = 1 << 10

// Matcher selects messages by one field of Input: "node=gpu-17", "queue!=dev-*" or
// "labels=team in (ml, llm)". It never changes.
type Matcher struct {
	text     string
	field    *field
	not      bool
	glob     glob.Pattern
	selector labels.Selector // for the labels; nil for other fields
}

// ParseMatcher parses a matcher: a text field of conditions, "=" or "!=", and a value. "*" in
// the value matches any text and "?" one character. The value of the field labels is a label
// selector.
//
// Errors: a matcher of more than 1 KiB, or without an operator; an unknown field; a selector
// that cannot be parsed; a control character.
func ParseMatcher(text string) (Matcher, error) {
	if len(text) > maxMatcher {
		return Matcher{}, fmt.Errorf("matcher %.20q… has %d bytes; %d are allowed", text, len(text), maxMatcher)
	}
	name, value, found := strings.Cut(text, "=")
	if !found || strings.ContainsFunc(text, unicode.IsControl) {
		return Matcher{}, fmt.Errorf("matcher %q is not FIELD=VALUE or FIELD!=VALUE, such as node=gpu-17", text)
	}
	m := Matcher{text: text, glob: glob.Pattern(strings.TrimSpace(value))}
	name, m.not = strings.CutSuffix(name, "!")
	name = strings.TrimSpace(name)
	if i := slices.IndexFunc(fields, func(f field) bool { return f.name == name && f.matchable() }); i >= 0 {
		m.field = &fields[i]
	} else {
		return Matcher{}, fmt.Errorf("matcher %q names no field; the fields are %s", text, strings.Join(MatcherFields(), ", "))
	}
	if name != labelsField {
		return m, nil
	}
	var err error
	if m.selector, err = labels.Parse(value); err != nil {
		return Matcher{}, fmt.Errorf("matcher %q: %w; use the syntax of kubectl -l", text, err)
	}
	return m, nil
}

// MatcherFields returns the names of the fields that matchers select by.
func MatcherFields() (names []string) {
	for _, f := range fields {
		if f.matchable() {
			names = append(names, f.name)
		}
	}
	return names
}

// matchable reports whether matchers select by the field.
func (f *field) matchable() bool { return f.kind == cel.StringType || f.name == labelsField }

// String returns the matcher as it was written.
func (m Matcher) String() string { return m.text }

// Matches reports whether the field of an input has the value. A field without a value is
// empty.
func (m Matcher) Matches(in *Input) bool {
	if m.selector != nil {
		return m.selector.Matches(labels.Set(in.Object.Labels)) != m.not
	}
	value, _ := m.field.of(in, &in.New).(types.String)
	return m.glob.Match(string(value)) != m.not
}

// ParseMatchers parses the matchers of one selection.
//
// Errors: no matchers; those of ParseMatcher; matchers that all select an input without
// values, because they would select nearly every message.
func ParseMatchers(texts []string) (all []Matcher, err error) {
	for _, text := range texts {
		m, err := ParseMatcher(text)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if MatchAll(all, &Input{}) {
		return nil, fmt.Errorf("the matchers %q select nearly every message; add one with a value, such as node=gpu-17", texts)
	}
	return all, nil
}

// MatchAll reports whether all matchers select an input.
func MatchAll(all []Matcher, in *Input) bool {
	for _, m := range all {
		if !m.Matches(in) {
			return false
		}
	}
	return true
}
