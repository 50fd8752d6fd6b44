package message

import (
	"strings"
	"unicode/utf8"
)

// pattern is a title or a sentence with placeholders for fields:
//
//	{job}     a field
//	[ … ]     an optional part: omitted if a field in it is unknown, and in short texts
//	< … >     a part that is omitted if a field in it is unknown
//	« … | … » the first alternative whose fields are all known
//	{?p90}    no text, but unknown if the field is
type pattern []node

type node struct {
	kind  nodeKind
	text  string    // literal text, or the name of a field
	parts []pattern // of an optional part, a part or alternatives
}

type nodeKind int

const (
	literal nodeKind = iota
	field
	guard
	optional
	part
	choice
)

// closing maps the character that begins a group to those that end it.
var closing = map[string]struct {
	kind nodeKind
	end  string
}{"[": {optional, "]"}, "<": {part, ">"}, "«": {choice, "»"}}

// phrase parses a pattern. A group without an end extends to the end of the text.
func phrase(text string) pattern {
	p, _ := phraseUntil(text, "")
	return p
}

// phraseUntil parses until one of the characters in ends, and returns the rest.
func phraseUntil(text, ends string) (p pattern, rest string) {
	for text != "" {
		_, size := utf8.DecodeRuneInString(text)
		first := text[:size]
		if strings.Contains(ends, first) {
			return p, text
		}
		group, begins := closing[first]
		switch {
		case first == "{":
			name, after, _ := strings.Cut(text[1:], "}")
			n := node{kind: field, text: name}
			if bare, ok := strings.CutPrefix(name, "?"); ok {
				n = node{kind: guard, text: bare}
			}
			p, text = append(p, n), after
		case begins:
			n := node{kind: group.kind}
			text = text[size:]
			for {
				var inner pattern
				inner, text = phraseUntil(text, group.end+"|")
				n.parts = append(n.parts, inner)
				if !strings.HasPrefix(text, "|") {
					break
				}
				text = text[1:]
			}
			p, text = append(p, n), strings.TrimPrefix(text, group.end)
		default:
			if last := len(p) - 1; last >= 0 && p[last].kind == literal {
				p[last].text += first
			} else {
				p = append(p, node{kind: literal, text: first})
			}
			text = text[size:]
		}
	}
	return p, ""
}

// fill appends the text of a pattern to b. get returns the value of a field, and whether
// it is known. Short texts have no optional parts. The result is false if a field is
// unknown.
func (p pattern) fill(b []byte, get func(name string) (string, bool), short bool) ([]byte, bool) {
	for _, n := range p {
		switch n.kind {
		case literal:
			b = append(b, n.text...)
		case field:
			value, ok := get(n.text)
			if !ok {
				return b, false
			}
			b = append(b, value...)
		case guard:
			if _, ok := get(n.text); !ok {
				return b, false
			}
		default:
			if n.kind == optional && short {
				continue
			}
			before, filled := len(b), false
			for _, alternative := range n.parts {
				if b, filled = alternative.fill(b[:before], get, short); filled {
					break
				}
			}
			if !filled {
				b = b[:before]
			}
			if !filled && n.kind == choice {
				return b, false
			}
		}
	}
	return b, true
}
