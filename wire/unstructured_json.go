package wire

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// json decodes a text. The library decodes texts with invalid UTF-8, which it replaces.
func (t *tree) json() (any, bool) {
	if !utf8.Valid(t.b) {
		return nil, false
	}
	t.i = jsontext.Space(t.b, 0)
	v, ok := t.jsonValue(0)
	return v, ok && jsontext.Space(t.b, t.i) == len(t.b)
}

// jsonValue decodes the value that begins at t.i.
func (t *tree) jsonValue(depth int) (any, bool) {
	if t.i >= len(t.b) {
		return nil, false
	}
	end := -1
	var v any
	switch t.b[t.i] {
	case '{':
		return t.jsonObject(depth + 1)
	case '[':
		return t.jsonArray(depth + 1)
	case '"':
		text, ok := t.jsonText()
		if !ok {
			return nil, false
		}
		return boxed(text), true
	case 't':
		v, end = true, jsontext.LiteralEnd(t.b, t.i, "true")
	case 'f':
		v, end = false, jsontext.LiteralEnd(t.b, t.i, "false")
	case 'n':
		end = jsontext.LiteralEnd(t.b, t.i, "null")
	default:
		return t.jsonNumber()
	}
	t.i = end
	return v, end >= 0
}

func (t *tree) jsonObject(depth int) (any, bool) {
	from := len(t.waiting)
	for t.jsonMore('}', len(t.waiting) > from) {
		if t.i >= len(t.b) || t.b[t.i] != '"' || depth > treeDepth {
			return nil, false
		}
		name, ok := t.jsonText()
		if !ok {
			return nil, false
		}
		key := sharedText(name)
		if t.i = jsontext.Space(t.b, t.i); t.i >= len(t.b) || t.b[t.i] != ':' {
			return nil, false
		}
		t.i = jsontext.Space(t.b, t.i+1)
		v, ok := t.jsonValue(depth)
		if !ok {
			return nil, false
		}
		t.waiting = append(t.waiting, member{key, v})
	}
	if t.i < 0 {
		return nil, false
	}
	return t.object(from), true
}

func (t *tree) jsonArray(depth int) (any, bool) {
	from := len(t.waiting)
	for t.jsonMore(']', len(t.waiting) > from) {
		if depth > treeDepth {
			return nil, false
		}
		v, ok := t.jsonValue(depth)
		if !ok {
			return nil, false
		}
		t.waiting = append(t.waiting, member{value: v})
	}
	if t.i < 0 {
		return nil, false
	}
	return t.array(from), true
}

// jsonMore moves to the next element of an object or array. before reports whether an
// element came before; otherwise t.i is at the opening bracket. t.i becomes negative if
// neither an element nor the closing bracket follows.
func (t *tree) jsonMore(closing byte, before bool) bool {
	if !before {
		t.i++
	}
	t.i = jsontext.Space(t.b, t.i)
	switch {
	case t.i >= len(t.b):
		t.i = -1
		return false
	case t.b[t.i] == closing:
		t.i++
		return false
	case !before:
		return true
	case t.b[t.i] != ',':
		t.i = -1
		return false
	}
	t.i = jsontext.Space(t.b, t.i+1)
	return true
}

// jsonText returns the string that begins at t.i. It is valid until the next call.
func (t *tree) jsonText() ([]byte, bool) {
	from := t.i + 1
	end := jsontext.PlainEnd(t.b, from)
	if end >= len(t.b) {
		return nil, false
	}
	if t.b[end] == '"' {
		t.i = end + 1
		return t.b[from:end], true
	}
	if end = jsontext.StringEnd(t.b, from); end < 0 {
		return nil, false
	}
	t.i = end
	t.scratch = jsontext.Unescape(t.scratch[:0], t.b[from:end-1])
	return t.scratch, true
}

// jsonNumber decodes a number: an int64 if it is one, else a float64.
func (t *tree) jsonNumber() (any, bool) {
	end := jsontext.NumberEnd(t.b, t.i)
	if end < 0 {
		return nil, false
	}
	text := t.b[t.i:end]
	t.i = end
	if v, ok := smallInt(text); ok {
		return v, true
	}
	if bytes.IndexByte(text, '.') < 0 {
		if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return v, true
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// smallInt parses an integer of few digits. ok is false for any other number.
func smallInt(text []byte) (v int64, ok bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	const safe = 18 // digits that cannot overflow
	if len(digits) > safe {
		return 0, false
	}
	for _, c := range digits {
		if !jsontext.IsDigit(c) {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if text[0] == '-' {
		v = -v
	}
	return v, true
}
