package wire

import "github.com/vedette-io/vedette/internal/jsontext"

// json follows the steps from the next value. onward means that data after the value must
// be read too: then the position is after the value on return; otherwise it is undefined.
// json reports whether to continue.
func (w *walker) json(t *jsonText, steps []step, onward bool) bool {
	if len(steps) == 0 {
		return w.jsonLeaf(t)
	}
	c := t.peek()
	s, rest := &steps[0], steps[1:]
	switch {
	case s.kind == stepMember && c == '{':
		t.i++
		found, ok := w.jsonMember(t, s.name)
		if !ok {
			return false
		}
		if !found {
			return w.absent(len(steps))
		}
		if t.peek() == 'n' {
			return string(t.scalar()) == "null" && w.absent(len(steps)) && onward && t.leave()
		}
		return w.json(t, rest, onward) && onward && t.leave()
	case s.kind == stepEvery && c == '{':
		t.i++
		for t.more('}') {
			if _, _, ok := t.member(); !ok || !w.json(t, rest, true) {
				return false
			}
		}
		return true
	case s.kind != stepMember && c == '[':
		t.i++
		for t.more(']') {
			ok := false
			if s.kind == stepEvery || w.jsonMatches(*t, s) {
				ok = w.json(t, rest, true)
			} else {
				ok = t.skip()
			}
			if !ok {
				return false
			}
		}
		return true
	}
	return t.skip()
}

// jsonMember moves to the value of the named member of the current object, or to the end
// of the object if there is no such member. ok is false if the text is damaged.
func (w *walker) jsonMember(t *jsonText, name string) (found, ok bool) {
	for t.more('}') {
		key, escaped, ok := t.member()
		if !ok {
			return false, false
		}
		if w.jsonEqual(key, escaped, name) {
			return true, true
		}
		if !t.skip() {
			return false, false
		}
	}
	return false, true
}

// jsonMatches reports whether the next value matches a filter. It works on a copy of the
// position, because the compared member may follow the wanted value.
func (w *walker) jsonMatches(t jsonText, s *step) bool {
	if t.peek() != '{' {
		return false
	}
	t.i++
	if found, _ := w.jsonMember(&t, s.name); !found || t.peek() != '"' {
		return false
	}
	raw, escaped, ok := t.str()
	return ok && w.jsonEqual(raw, escaped, s.text)
}

func (w *walker) jsonEqual(raw []byte, escaped bool, text string) bool {
	if !escaped {
		return string(raw) == text
	}
	w.scratch = jsontext.Unescape(w.scratch[:0], raw)
	return string(w.scratch) == text
}

func (w *walker) jsonLeaf(t *jsonText) bool {
	switch t.peek() {
	case '{', '[':
		return t.skip()
	case '"':
		raw, escaped, ok := t.str()
		if !ok {
			return false
		}
		if escaped {
			w.scratch = jsontext.Unescape(w.scratch[:0], raw)
			raw = w.scratch
		}
		return w.emit(raw)
	}
	text := t.scalar()
	if string(text) == "null" {
		return true
	}
	return len(text) > 0 && w.emit(text)
}
