package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxMaskDepth is the maximum nesting of objects and arrays on the way to a
// masked field.
const maxMaskDepth = 64

// Mask is a set of fields to leave out of JSON objects. It is immutable: any number of
// goroutines may use it at once. The zero value leaves nothing out.
type Mask struct {
	fields map[string]*Mask
	scope  maskScope
}

// maskScope determines how much of a field is left out.
type maskScope uint8

const (
	maskFields maskScope = iota // the fields that Mask.fields names
	maskNested                  // also all members that are objects or arrays
	maskWhole                   // the field itself
)

// NewMask returns the set of the fields that the paths name. A path applies to every
// element of an array on its way. A path that ends with "*" names the members before it
// that are objects or arrays, except a member that a longer path with "*" reduces.
func NewMask(paths ...[]string) *Mask {
	root := &Mask{}
	for _, path := range paths {
		m := root
		for i, name := range path {
			if name == "*" && i == len(path)-1 {
				m.scope = max(m.scope, maskNested)
				break
			}
			if m.fields == nil {
				m.fields = map[string]*Mask{}
			}
			if m.fields[name] == nil {
				m.fields[name] = &Mask{}
			}
			m = m.fields[name]
			if i == len(path)-1 {
				m.scope = maskWhole
			}
		}
	}
	return root
}

// errMask is the error for bytes that a Mask cannot read.
var errMask = errors.New("not a JSON object, or nested more than 64 deep on the way to a field that is left out")

// Append appends a JSON object to dst, without the masked fields, and returns the result.
// The other fields keep their text and order; line breaks and indentation are removed.
// body is not modified.
//
// Errors: body is not a JSON object, or nests more than 64 deep on the way to a masked
// field. Other values may nest at any depth. After an error Append returns dst unchanged.
func (m *Mask) Append(dst, body []byte) ([]byte, error) {
	if bytes.IndexByte(body, '\n') >= 0 { // never part of a string
		var compact bytes.Buffer
		if err := json.Compact(&compact, body); err != nil {
			return dst, err
		}
		body = compact.Bytes()
	}
	w := maskWriter{dst: dst}
	w.Reset(body)
	if w.Peek() != '{' {
		return dst, errMask
	}
	w.value(m, 0)
	if !w.AtEnd() {
		return dst, errMask
	}
	return w.dst, nil
}

// maskWriter copies one object.
type maskWriter struct {
	Cursor
	dst []byte
}

// value copies the value that comes next.
func (w *maskWriter) value(m *Mask, depth int) {
	if depth > maxMaskDepth {
		w.Fail()
	}
	switch w.Peek() {
	case '{':
		w.object(m, depth)
	case '[':
		w.array(m, depth)
	default:
		w.dst = append(w.dst, w.Value()...)
	}
}

func (w *maskWriter) array(m *Mask, depth int) {
	w.dst = append(w.dst, '[')
	w.Enter()
	for first := true; w.Next(']', first); first = false {
		if !first {
			w.dst = append(w.dst, ',')
		}
		w.value(m, depth+1)
	}
	w.dst = append(w.dst, ']')
}

func (w *maskWriter) object(m *Mask, depth int) {
	w.dst = append(w.dst, '{')
	w.Enter()
	empty := true
	for first := true; w.Next('}', first); first = false {
		from := w.Offset()
		field := m.fields[string(w.Name())]
		next := w.Peek()
		name := w.text[from:w.pos] // with its colon
		nested := next == '{' || next == '['
		reduces := field != nil && field.scope == maskNested
		if field != nil && field.scope == maskWhole || nested && m.scope == maskNested && !reduces {
			w.Skip()
			continue
		}
		if !empty {
			w.dst = append(w.dst, ',')
		}
		empty = false
		w.dst = append(w.dst, name...)
		if field != nil {
			w.value(field, depth+1)
		} else {
			w.dst = append(w.dst, w.Value()...)
		}
	}
	w.dst = append(w.dst, '}')
}
