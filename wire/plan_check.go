package wire

import (
	"encoding/binary"
	"reflect"
)

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

// planOf returns the plan of a type, or nil if its Unmarshal must be used.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	planned.Lock()
	defer planned.Unlock()
	p := planned.plan(t)
	if p != nil && (p.own != nil || !p.verified()) {
		p = nil
	}
	plans.Store(t, p)
	return p
}
