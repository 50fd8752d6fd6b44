package wire

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// maxSteps bounds a path. The API nests less than half as deep.
const maxSteps = 64

// Path selects values of a field of an object by JSON names:
//
//	spec.nodeName                                  one field
//	metadata.labels.app, metadata.labels['a.b/c']  one key of a map
//	metadata.ownerReferences[*].uid                a field of every element of a list
//	metadata.labels[*]                             every value of a map
//	status.conditions[?(@.type=="Ready")].status   a field of the elements whose type is "Ready"
//
// A Path is an immutable value. The zero Path selects nothing.
type Path struct{ steps []step }

type stepKind uint8

const (
	stepMember stepKind = iota // the member or key called name
	stepEvery                  // all elements or values
	stepWhere                  // the elements whose member name is text
)

// step is one step of a path.
type step struct {
	kind   stepKind
	name   string
	text   string
	column int // column in the parsed text, from 1
}

// PathError reports an error in a path and its position.
type PathError struct {
	// Path is the text of the path.
	Path string
	// Column is the position of the error in bytes, from 1.
	Column int
	// Reason describes what was found and what was expected.
	Reason string
}

// Error implements error.
func (e *PathError) Error() string {
	return fmt.Sprintf("path %.200q, column %d: %s", e.Path, e.Column, e.Reason)
}

// ParsePath parses a path. It may begin with a dot, as in kubectl. Names of letters,
// digits, '_', '-' and '/' may follow a dot. All other names are written in brackets and
// quotes, in which a backslash escapes a quote or a backslash: the key "" of a map is [”]. Positions
// ([0]), slices, ".." and filters other than the equality of one member and one string that is
// not empty are rejected.
//
// Errors: *PathError.
func ParsePath(text string) (Path, error) {
	p := pathParser{text: text}
	p.skip('.')
	var steps []step
	for first := true; first || p.at < len(text); first = false {
		s, err := p.step(first)
		if err != nil {
			return Path{}, err
		}
		if steps = append(steps, s); len(steps) > maxSteps {
			return Path{}, p.fail("more than %d steps", maxSteps)
		}
	}
	return Path{steps}, nil
}

// String returns the path in its shortest form that ParsePath accepts.
func (p Path) String() string {
	text := ""
	for _, s := range p.steps {
		switch s.kind {
		case stepEvery:
			text += "[*]"
		case stepWhere:
			text += "[?(@." + s.name + "==" + jsontext.Quote(s.text, '"') + ")]"
		default:
			text = jsontext.Member(text, s.name)
		}
	}
	return text
}

// pathParser parses the text of a path from left to right.
type pathParser struct {
	text string
	at   int
}

func (p *pathParser) fail(format string, args ...any) error {
	return &PathError{Path: p.text, Column: p.at + 1, Reason: fmt.Sprintf(format, args...)}
}

// skip consumes c if it is next, and reports whether it did.
func (p *pathParser) skip(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// want consumes a literal. If it is not next, want returns an error that contains what.
func (p *pathParser) want(literal, what string) error {
	if !strings.HasPrefix(p.text[p.at:], literal) {
		return p.fail("found %s, want %q %s", p.found(), literal, what)
	}
	p.at += len(literal)
	return nil
}

func (p *pathParser) found() string {
	if p.at == len(p.text) {
		return "the end"
	}
	return fmt.Sprintf("%.20q", p.text[p.at:])
}

func (p *pathParser) step(first bool) (step, error) {
	column := p.at + 1
	var s step
	var err error
	switch {
	case p.skip('['):
		s, err = p.bracket()
		if first && err == nil && s.kind != stepMember {
			p.at = column - 1
			err = p.fail("an object is not a list: a path begins with a name")
		}
	case first || p.skip('.'):
		column = p.at + 1
		s.name, err = p.name()
	default:
		err = p.fail("found %s, want '.' or '['; a name with such bytes is written ['...']", p.found())
	}
	s.column = column
	return s, err
}

// name consumes an unquoted name.
func (p *pathParser) name() (string, error) {
	from := p.at
	for p.at < len(p.text) && jsontext.IsNameByte(p.text[p.at]) {
		p.at++
	}
	if p.at == from {
		return "", p.fail("found %s, want a name; a name with such bytes is written ['...']", p.found())
	}
	return p.text[from:p.at], nil
}

// bracket consumes the rest of a bracketed step after the opening bracket.
func (p *pathParser) bracket() (s step, err error) {
	switch {
	case p.skip('*'):
		s.kind = stepEvery
	case p.skip('?'):
		s.kind = stepWhere
		s.name, s.text, err = p.filter()
	default:
		s.name, err = p.quoted(`a name in quotes, "*" or a filter`)
	}
	if err == nil {
		err = p.want("]", "after it")
	}
	return s, err
}

// filter consumes (@.name=="text").
func (p *pathParser) filter() (name, text string, err error) {
	const form = `of a filter [?(@.name=="text")]`
	if err = p.want("(@.", form); err != nil {
		return "", "", err
	}
	if name, err = p.name(); err != nil {
		return "", "", err
	}
	p.spaces()
	if err = p.want("==", form); err != nil {
		return "", "", err
	}
	p.spaces()
	from := p.at
	if text, err = p.quoted("a text in quotes"); err != nil {
		return "", "", err
	}
	if text == "" { // protobuf does not distinguish "" from absence
		p.at = from
		return "", "", p.fail(`the quoted text is empty, and a filter cannot find ""`)
	}
	return name, text, p.want(")", form)
}

func (p *pathParser) spaces() {
	for p.skip(' ') {
	}
}

// quoted consumes a text in single or double quotes.
func (p *pathParser) quoted(what string) (string, error) {
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		return "", p.fail("found %s, want %s", p.found(), what)
	}
	quote := p.text[p.at]
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == quote:
			return b.String(), nil
		case c != '\\':
			b.WriteByte(c)
		case p.at < len(p.text) && strings.IndexByte(`\'"`, p.text[p.at]) >= 0:
			b.WriteByte(p.text[p.at])
			p.at++
		default:
			return "", p.fail("found %s after a backslash, want a quote or a backslash", p.found())
		}
	}
	return "", p.fail("the closing quote is missing")
}
