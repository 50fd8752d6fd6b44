package jobfilter

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Limits of a filter.
const (
	maxValues = 200 // of all keys together, including words
	maxLength = 512 // of a value, in bytes
	maxWords  = 16
)

// Mistake is an invalid parameter.
type Mistake struct {
	Parameter, Value string
	// Problem describes the mistake and the expected text.
	Problem string
}

// Error names the parameter, its value and the problem.
func (m *Mistake) Error() string {
	value := m.Value
	if len(value) > 80 {
		value = value[:80] + "…"
	}
	return fmt.Sprintf("parameter %s=%q: %s", m.Parameter, value, m.Problem)
}

// Mistakes returns the mistakes that an error of Parse joins.
func Mistakes(err error) (all []*Mistake) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	for _, e := range joined.Unwrap() {
		var m *Mistake
		if errors.As(e, &m) {
			all = append(all, m)
		}
	}
	return all
}

// Parse reads a filter from the parameters of a URL. It ignores parameters that are not
// filters.
//
// Errors: all mistakes, joined; see Mistakes.
func Parse(q url.Values) (Filter, error) {
	p := parser{values: map[Key]map[Op][]string{}}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		for _, value := range q[name] {
			p.add(name, value)
		}
	}
	if p.anyTime {
		delete(p.values, Window)
	}
	f := Filter{Words: p.words}
	for _, k := range keys {
		ops := p.values[k.key]
		for _, op := range slices.Sorted(maps.Keys(ops)) {
			slices.Sort(ops[op])
			f.Terms = append(f.Terms, Term{Key: k.key, Op: op, Values: slices.Compact(ops[op])})
		}
	}
	if p.count > maxValues {
		p.mistakes = append(p.mistakes, &Mistake{Parameter: "filter", Problem: fmt.Sprintf("it has %d values; the limit is %d", p.count, maxValues)})
	}
	if len(p.mistakes) > 0 {
		return Filter{}, errors.Join(p.mistakes...)
	}
	return f, nil
}

// parser collects terms and mistakes.
type parser struct {
	values   map[Key]map[Op][]string
	words    []string
	length   int // of the words, joined as in Query
	count    int
	anyTime  bool // a window is AnyTime
	mistakes []error
}

// maxMistakes is the maximum number of reported mistakes.
const maxMistakes = 20

func (p *parser) mistake(name, value, problem string) {
	if len(p.mistakes) < maxMistakes {
		p.mistakes = append(p.mistakes, &Mistake{Parameter: name, Value: value, Problem: problem})
	}
}

// add adds one parameter.
func (p *parser) add(name, value string) {
	k, ok := kindOf(Key(name))
	if !ok && name != wordsParameter {
		return
	}
	if len(value) > maxLength {
		p.mistake(name, value, fmt.Sprintf("it has %d bytes; the limit is %d", len(value), maxLength))
		return
	}
	if name == wordsParameter {
		p.addWords(value)
		return
	}
	op, text := split(k, value)
	if k == windowKind && text == AnyTime {
		p.anyTime = true
		return
	}
	text, err := canonical(k, op, text)
	if err != nil {
		p.mistake(name, value, err.Error())
		return
	}
	if k == flagKind && text == "false" {
		return
	}
	if p.values[Key(name)] == nil {
		p.values[Key(name)] = map[Op][]string{}
	}
	if p.count++; p.count <= maxValues {
		p.values[Key(name)][op] = append(p.values[Key(name)][op], text)
	}
}

// addWords adds the words of a text.
func (p *parser) addWords(text string) {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if p.count++; word == "!" || slices.Contains(p.words, word) {
			continue
		}
		if len(p.words) == maxWords {
			p.mistake(wordsParameter, text, fmt.Sprintf("it has more than %d words", maxWords))
			return
		}
		// The lower case of a letter may be longer, and several parameters are joined.
		if p.length += len(word) + 1; p.length > maxLength+1 {
			p.mistake(wordsParameter, text, fmt.Sprintf("the words have more than %d bytes", maxLength))
			return
		}
		p.words = append(p.words, word)
	}
}

// split splits the operator from a value.
func split(k kind, value string) (Op, string) {
	operators := []Op{Not}
	if k.ordered() {
		operators = []Op{Not, AtLeast, AtMost, Greater, Less}
	}
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(value, string(op)); ok {
			return op, rest
		}
	}
	return Is, value
}

// canonical returns the text of a value in the form of Query.
func canonical(k kind, op Op, text string) (string, error) {
	switch k {
	case stateKind:
		return canonicalState(text)
	case labelKind:
		if name, _, _ := strings.Cut(text, "="); name == "" {
			return "", errors.New("want the name of a label, or name=value")
		}
	case numberKind:
		n, err := parseNumber(text)
		return strconv.FormatInt(n, 10), err
	case durationKind:
		_, err := parseDuration(text)
		return text, err
	case timeKind:
		_, err := parseTime(text, time.Unix(0, 0))
		return text, err
	case windowKind:
		if op != Is {
			return "", errors.New("it takes no operator")
		}
		_, err := parseDuration(text)
		return text, err
	case flagKind:
		if text != "true" && text != "false" || op != Is {
			return "", errors.New("want true or false")
		}
	}
	return text, nil
}

// canonicalState returns a state in the spelling of package job. It returns a pattern
// unchanged.
func canonicalState(text string) (string, error) {
	if strings.Contains(text, "*") {
		return text, nil
	}
	s, err := job.ParseState(text)
	return string(s), err
}
