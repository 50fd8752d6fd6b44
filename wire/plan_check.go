package wire

import (
	"encoding/binary"
	"reflect"
)

// verified reports whether a plan and the generated code of its type decode an object with
// all fields to the same value. The tags of a struct may be wrong.
func (p *plan) verified() bool {
	body := p.encoded(map[*plan][]byte{})
	want, got := reflect.New(p.typ), reflect.New(p.typ)
	return want.Interface().(protoUnmarshaler).Unmarshal(body) == nil &&
		p.decode(body, placeOf(got), 0, private) >= 0 && reflect.DeepEqual(want.Interface(), got.Interface())
}

// encoded returns an encoded value with all fields except those of a type nested in
// itself. done has the values so far.
func (p *plan) encoded(done map[*plan][]byte) []byte {
	if p.sample != nil || p.own != nil {
		return p.sample
	}
	if b, ok := done[p]; ok {
		return b
	}
	done[p] = nil
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
			v := s.encodedValue(num+k, done)
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		}
	}
	done[p] = b
	return b
}

func (s *slot) encodedValue(num int, done map[*plan][]byte) []byte {
	v := []byte{'v', byte('0' + num%10), byte('0' + num/10%10)}
	if s.shape != mapped {
		if s.kind == message {
			return s.sub.encoded(done)
		}
		return v
	}
	if s.value >= message {
		v = s.sub.encoded(done)
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
