package wire

import (
	"encoding/binary"
	"path"
	"reflect"
	"runtime"
)

// generated reports whether the Unmarshal of a type comes from the generator of the
// Kubernetes API. A handwritten method may do anything.
func generated(t reflect.Type) bool {
	m, ok := reflect.PointerTo(t).MethodByName("Unmarshal")
	if !ok {
		return false
	}
	pc := m.Func.Pointer()
	f := runtime.FuncForPC(pc)
	if f == nil {
		return false
	}
	file, _ := f.FileLine(pc)
	return path.Base(file) == "generated.pb.go"
}

// unmarshalerAt returns the value at m, of type t, as an unmarshaler.
func unmarshalerAt(m place, t reflect.Type) protoUnmarshaler {
	return valueAt(m, t).Addr().Interface().(protoUnmarshaler)
}

// verified reports whether a plan and the generated code of its type decode an object with
// all fields to the same value. The tags of a struct may be wrong.
func (p *plan) verified() bool {
	body := p.encoded(map[*plan]bool{})
	want, got := reflect.New(p.typ), reflect.New(p.typ)
	return want.Interface().(protoUnmarshaler).Unmarshal(body) == nil &&
		p.decode(body, placeOf(got), 0, private) >= 0 && reflect.DeepEqual(want.Interface(), got.Interface())
}

// encoded returns an encoded value with all fields except those of a type nested in
// itself.
func (p *plan) encoded(within map[*plan]bool) []byte {
	if p.sample != nil || p.own != nil || within[p] {
		return p.sample
	}
	within[p] = true
	defer delete(within, p)
	var b []byte
	for num := range p.slots {
		s := &p.slots[num]
		times := 1
		switch s.shape {
		case absent:
			continue
		case slice:
			times = 2
		}
		for k := range times {
			b = binary.AppendUvarint(b, uint64(s.tag))
			if s.kind < text {
				b = binary.AppendUvarint(b, uint64(1000+num+k))
				continue
			}
			v := s.encodedValue(num+k, within)
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		}
	}
	p.sample = b
	return b
}

func (s *slot) encodedValue(num int, within map[*plan]bool) []byte {
	v := []byte{'v', byte('0' + num%10), byte('0' + num/10%10)}
	if s.shape != mapped {
		if s.kind == message {
			return s.sub.encoded(within)
		}
		return v
	}
	if s.value >= message {
		v = s.sub.encoded(within)
	}
	entry := []byte{1<<3 | protoBytes, 1, 'k', 2<<3 | protoBytes}
	return append(binary.AppendUvarint(entry, uint64(len(v))), v...)
}
