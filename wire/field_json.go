package wire

import "github.com/vedette-io/vedette/internal/jsontext"

// jsonFields is the fieldCursor of JSON.
type jsonFields struct {
	jsonText
	to *fieldSink
}

func (t *jsonFields) value() (v fieldValue, ok bool) {
	switch t.peek() {
	case '{':
		t.i++
		v.isMap = true
	case '[':
		t.i++
		v.isArray = true
	case 'n':
		v.isNull = string(t.scalar()) == "null"
		return v, v.isNull
	}
	return v, true
}

func (t *jsonFields) rest(v fieldValue) bool {
	if v.isMap || v.isArray {
		return t.leave()
	}
	return v.isNull || t.skip()
}

func (t *jsonFields) next(v fieldValue) (after fieldValue, more, ok bool) {
	if v.isArray {
		return v, t.more(']'), true
	}
	if !t.more('}') {
		return v, false, true
	}
	_, _, ok = t.member()
	return v, ok, ok
}

func (t *jsonFields) find(v fieldValue, name string) (after fieldValue, found, ok bool) {
	for t.more('}') {
		key, escaped, ok := t.member()
		if !ok {
			return v, false, false
		}
		if t.equal(key, escaped, name) {
			return v, true, true
		}
		if !t.skip() {
			return v, false, false
		}
	}
	return v, false, true
}

func (t *jsonFields) matches(s *step) bool {
	from := t.i
	defer func() { t.i = from }()
	if t.peek() != '{' {
		return false
	}
	t.i++
	if _, found, _ := t.find(fieldValue{}, s.name); !found || t.peek() != '"' {
		return false
	}
	raw, escaped, ok := t.str()
	return ok && t.equal(raw, escaped, s.text)
}

func (t *jsonFields) equal(raw []byte, escaped bool, text string) bool {
	if !escaped {
		return string(raw) == text
	}
	t.to.scratch = jsontext.Unescape(t.to.scratch[:0], raw)
	return string(t.to.scratch) == text
}

func (t *jsonFields) leaf(v fieldValue) bool {
	if v.isMap || v.isArray {
		return t.leave()
	}
	if v.isNull {
		return true
	}
	if t.peek() == '"' {
		raw, escaped, ok := t.str()
		if !ok {
			return false
		}
		if escaped {
			t.to.scratch = jsontext.Unescape(t.to.scratch[:0], raw)
			raw = t.to.scratch
		}
		return t.to.emit(raw)
	}
	text := t.scalar()
	return len(text) > 0 && t.to.emit(text)
}
