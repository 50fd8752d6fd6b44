package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Cut is a set of fields that are left out of objects in JSON. It is immutable: any
// number of goroutines may use it at once. The zero value leaves nothing out.
type Cut struct {
	fields map[string]*Cut
	what   cutting
}

// cutting is what is cut of a field.
type cutting uint8

const (
	cutBelow  cutting = iota // what fields says
	cutAll                   // the field itself
	cutNested                // members that are objects or arrays
)

// NewCut returns the set of some fields, each named by the path to it. Arrays on the
// way are gone through: the field is left out of every element. A path that ends
// with "*" leaves out those members of what is before it that are objects or arrays
// themselves.
func NewCut(paths ...[]string) *Cut {
	root := &Cut{}
	for _, path := range paths {
		at := root
		for i, name := range path {
			if name == "*" && i == len(path)-1 {
				at.what = max(at.what, cutNested)
				break
			}
			if at.fields == nil {
				at.fields = map[string]*Cut{}
			}
			if at.fields[name] == nil {
				at.fields[name] = &Cut{}
			}
			at = at.fields[name]
			if i == len(path)-1 {
				at.what = cutAll
			}
		}
	}
	return root
}

// errNotCut says that bytes are not what Cut can read.
var errNotCut = errors.New("it is no JSON object, or has arrays more than 64 deep in each other where something is left out")

// Append appends a JSON object to dst, without the fields that are left out, and
// returns the result. The remaining fields keep their text and order; line breaks and
// indentation are removed. body is not modified.
//
// Errors: body is not a JSON object, or arrays nest more than 64 deep on the path to a
// field that is left out. Copied and omitted values may nest at any depth.
func (c *Cut) Append(dst, body []byte) ([]byte, error) {
	if bytes.IndexByte(body, '\n') >= 0 { // which stands in no string
		var compact bytes.Buffer
		if err := json.Compact(&compact, body); err != nil {
			return dst, err
		}
		body = compact.Bytes()
	}
	i := space(body, 0)
	if i >= len(body) || body[i] != '{' {
		return dst, errNotCut
	}
	k := cutter{b: body, dst: dst, i: i}
	if !k.value(c, 0) || space(body, k.i) != len(body) {
		return dst, errNotCut
	}
	return k.dst, nil
}

// cutter is one run of Append.
type cutter struct {
	b, dst []byte
	i      int
}

// value copies the value that begins at k.i, and moves behind it.
func (k *cutter) value(c *Cut, depth int) bool {
	if depth > wholeDepth || k.i >= len(k.b) {
		return false
	}
	switch open := k.b[k.i]; open {
	case '{':
		return k.members(c, depth)
	case '[':
		return k.elements(c, depth)
	}
	end := valueEnd(k.b, k.i)
	if end < 0 {
		return false
	}
	k.dst = append(k.dst, k.b[k.i:end]...)
	k.i = end
	return true
}

// next moves to the next member or element, and reports whether there is one.
func (k *cutter) next(n int, closing byte) (more, ok bool) {
	if n == 0 {
		k.i++
	}
	if k.i = space(k.b, k.i); k.i >= len(k.b) {
		return false, false
	}
	switch {
	case k.b[k.i] == closing:
		k.i++
		k.dst = append(k.dst, closing)
		return false, true
	case n == 0:
		return true, true
	case k.b[k.i] != ',':
		return false, false
	}
	k.i = space(k.b, k.i+1)
	return true, k.i < len(k.b)
}

func (k *cutter) elements(c *Cut, depth int) bool {
	k.dst = append(k.dst, '[')
	for n := 0; ; n++ {
		more, ok := k.next(n, ']')
		if !more || !ok {
			return ok
		}
		if n > 0 {
			k.dst = append(k.dst, ',')
		}
		if !k.value(c, depth+1) {
			return false
		}
	}
}

func (k *cutter) members(c *Cut, depth int) bool {
	k.dst = append(k.dst, '{')
	for n, kept := 0, 0; ; n++ {
		more, ok := k.next(n, '}')
		if !more || !ok {
			return ok
		}
		from := k.i
		value := key(k.b, from)
		if value < 0 {
			return false
		}
		if value = space(k.b, value); value >= len(k.b) {
			return false
		}
		at := c.below(k.b[from:value])
		nested := k.b[value] == '{' || k.b[value] == '['
		gone := at != nil && at.what == cutAll || nested && c.what == cutNested
		if at == nil || gone { // all of it, or nothing
			if k.i = valueEnd(k.b, value); k.i < 0 {
				return false
			}
		}
		if gone {
			continue
		}
		if kept++; kept > 1 {
			k.dst = append(k.dst, ',')
		}
		if at == nil {
			k.dst = append(k.dst, k.b[from:k.i]...)
			continue
		}
		k.dst = append(k.dst, k.b[from:value]...)
		k.i = value
		if !k.value(at, depth+1) {
			return false
		}
	}
}

// below returns what is left out below a member, whose name and colon text begins
// with; nil if nothing is.
func (c *Cut) below(text []byte) *Cut {
	end := quoteEnd(text, 1)
	name := text[1 : end-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = unescape(nil, name)
	}
	return c.fields[string(name)]
}
