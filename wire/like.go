package wire

import (
	"bytes"
	"reflect"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// DecodeLike is DecodeInto for an object that has much in common with another one,
// such as the revision before it. like is an object of the same type that was decoded
// from the record of, and that nobody has changed. Fields with the same bytes in both
// records are decoded once: the objects share them, so nobody may change either object
// afterwards.
//
// It also shares values with other objects, as DecodeShared does.
//
// Errors: those of DecodeInto.
func DecodeLike(rec Record, obj any, of Record, like any) error {
	if like == nil || rec.Encoding != of.Encoding || reflect.TypeOf(obj) != reflect.TypeOf(like) || !decodeLike(rec.Encoding, rec.Body, obj, of.Body, like) {
		return DecodeShared(rec, obj)
	}
	return nil
}

// decodeLike reports whether it has decoded the object. If not, obj is zero.
func decodeLike(enc Encoding, body []byte, obj any, of []byte, like any) bool {
	switch enc {
	case Protobuf:
		v := reflect.ValueOf(obj)
		p := planOf(v.Type().Elem())
		if p == nil || len(body) < worthPlan {
			return false
		}
		if p.decodeLike(body, of, placeOf(v), placeOf(reflect.ValueOf(like)), 0) >= 0 {
			return true
		}
		v.Elem().SetZero()
	case JSON:
		u, dynamic := obj.(*unstructured.Unstructured)
		if !dynamic {
			return false
		}
		t := trees.Get().(*tree)
		defer t.release()
		t.b, t.i = body, 0
		content, ok := t.jsonLike(of, like.(*unstructured.Unstructured).Object)
		if ok {
			u.Object = content
		}
		return ok
	}
	return false
}

// decodeLike is decode for a message that has much in common with the message of, from
// which the value at like was decoded.
func (p *plan) decodeLike(b, of []byte, m, like place, depth int) int {
	if depth > 0 && bytes.Equal(b, of) {
		valueAt(m, p.typ).Set(valueAt(like, p.typ))
		return len(b)
	}
	if p.own != nil || depth > maxDepth || !ascending(of) {
		return p.decode(b, m, depth, shareable)
	}
	next := fieldRun{}
	for i, last := 0, 0; i < len(b); {
		f := runOf(b, i)
		if f.end < 0 || f.num <= last {
			return unusual
		}
		i, last = f.end, f.num
		if f.num >= len(p.slots) || p.slots[f.num].shape == absent {
			continue
		}
		for next.num < f.num && next.end < len(of) {
			next = runOf(of, next.end)
		}
		s, n := &p.slots[f.num], 0
		switch {
		case next.num == f.num && bytes.Equal(f.bytes, next.bytes):
			valueAt(m.at(uintptr(s.off)), s.typ).Set(valueAt(like.at(uintptr(s.off)), s.typ))
		case next.num == f.num && s.shape == single && s.kind == message && s.sub.own == nil && f.one != nil && next.one != nil && f.tag == uint64(s.tag):
			n = s.sub.decodeLike(f.one, next.one, m.at(uintptr(s.off)), like.at(uintptr(s.off)), depth+1)
		default:
			n = p.decode(f.bytes, m, depth, shareable)
		}
		if n < 0 {
			return n
		}
	}
	return len(b)
}

// fieldRun is one field of a message, with all its values if they are consecutive.
type fieldRun struct {
	num   int
	tag   uint64
	bytes []byte // tags and values
	one   []byte // the content of the only value; nil if there are several values, or for a number
	end   int    // negative if the bytes do not have the form that servers write
}

// runOf returns the run of the field that begins at b[i:].
func runOf(b []byte, i int) fieldRun {
	f, from := fieldRun{end: unusual}, i
	for i < len(b) {
		tag, at := varint(b, i)
		if at < 0 || tag>>3 == 0 || tag > 1<<32-1 {
			return f
		}
		if f.num != 0 && tag != f.tag {
			break
		}
		f.one = nil
		if f.num == 0 && tag&7 == protoBytes {
			f.one, _ = sized(b, at)
		}
		f.num, f.tag = int(tag>>3), tag
		if i = skipValue(b, at, tag); i < 0 {
			return f
		}
	}
	f.bytes, f.end = b[from:i], i
	return f
}

// ascending reports whether the fields of a message are in the order of their numbers, so
// that each run has all values of its field.
func ascending(b []byte) bool {
	for i, last := 0, 0; i < len(b); {
		f := runOf(b, i)
		if f.end < 0 || f.num <= last {
			return false
		}
		i, last = f.end, f.num
	}
	return true
}

// jsonLike decodes an object that has much in common with the object of, which was
// decoded to like. It shares the members of the outermost object.
func (t *tree) jsonLike(of []byte, like map[string]any) (map[string]any, bool) {
	mine, ok := membersOf(t.b)
	if !ok {
		return nil, false
	}
	theirs, ok := membersOf(of)
	if !ok {
		return nil, false
	}
	content := make(map[string]any, len(mine))
	for i, m := range mine {
		name := string(m.name)
		if i < len(theirs) && bytes.Equal(theirs[i].name, m.name) && bytes.Equal(theirs[i].value, m.value) {
			if v, ok := like[name]; ok {
				content[name] = v
				continue
			}
		}
		one := tree{b: m.value, waiting: t.waiting, scratch: t.scratch}
		v, ok := one.json()
		t.waiting, t.scratch = one.waiting, one.scratch
		if !ok {
			return nil, false
		}
		content[sharedText(m.name)] = v
	}
	return content, true
}

// jsonMember is a member of an object as text.
type jsonMember struct{ name, value []byte }

// membersOf returns the members of an object. ok is false if there are too many, or if a
// name has escapes or occurs twice.
func membersOf(b []byte) ([]jsonMember, bool) {
	const most = 16
	i := jsontext.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, false
	}
	members := make([]jsonMember, 0, most)
	for i = jsontext.Space(b, i+1); len(members) < most; i = jsontext.Space(b, i+1) {
		if i >= len(b) || b[i] != '"' {
			return nil, false
		}
		from := i + 1
		end := jsontext.PlainEnd(b, from)
		if end >= len(b) || b[end] != '"' {
			return nil, false
		}
		m := jsonMember{name: b[from:end]}
		if !utf8.Valid(m.name) {
			return nil, false
		}
		for _, other := range members {
			if bytes.Equal(other.name, m.name) {
				return nil, false
			}
		}
		if i = jsontext.Space(b, end+1); i >= len(b) || b[i] != ':' {
			return nil, false
		}
		from = jsontext.Space(b, i+1)
		if i = jsontext.ValueEnd(b, from); i < 0 {
			return nil, false
		}
		m.value = b[from:i]
		members = append(members, m)
		if i = jsontext.Space(b, i); i >= len(b) {
			return nil, false
		}
		if b[i] == '}' {
			return members, jsontext.Space(b, i+1) == len(b)
		}
		if b[i] != ',' {
			return nil, false
		}
	}
	return nil, false
}
