package wire

import (
	"encoding/binary"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Field numbers of the messages Time and MicroTime, Duration, Quantity and IntOrString.
const (
	timeSeconds   = 1
	timeNanos     = 2
	durationNanos = 1
	quantityText  = 1
	intstrType    = 1
	intstrInt     = 2
	intstrText    = 3
)

// proto follows the steps from the message b. It reports whether to continue.
func (w *walker) proto(b []byte, steps []protoStep) bool {
	s, rest := &steps[0], steps[1:]
	switch s.kind {
	case protoWhere:
		v := b
		for _, num := range s.where {
			f, _ := firstField(v, num)
			v = f.val
		}
		return string(v) != s.text || w.proto(b, rest)
	case protoEntry, protoAny:
		if k, _ := firstField(b, mapKey); s.kind == protoEntry && string(k.val) != s.text {
			return true
		}
		f, ok := firstField(b, mapValue)
		if !ok { // the zero value
			return w.f.zero == nil || len(rest) > w.f.protoFixed || w.emit(w.f.zero)
		}
		return w.protoValue(b, f, s, rest)
	}
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return false
		}
		i = f.end
		if f.num != s.num {
			continue
		}
		if !w.protoValue(b, f, s, rest) {
			return false
		}
		if s.once {
			return true
		}
	}
	return len(steps) > w.f.protoFixed || w.emit(w.f.zero)
}

// firstField returns the first field of message b with a number.
func firstField(b []byte, num int) (field, bool) {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return field{}, false
		}
		if f.num == num {
			return f, true
		}
		i = f.end
	}
	return field{}, false
}

// protoValue follows the remaining steps from the field f of message b, which s selected.
func (w *walker) protoValue(b []byte, f field, s *protoStep, rest []protoStep) bool {
	switch {
	case len(rest) > 0:
		return f.kind != protoBytes || w.proto(f.val, rest)
	case f.kind == protoVarint:
		return w.protoNumber(uint64(lastVarint(b[f.from:f.end])))
	case f.kind != protoBytes:
		return true
	case w.f.leaf == leafText:
		return w.emit(f.val)
	case w.f.leaf > leafBool:
		return w.protoMessage(f.val)
	case s.once:
		return true
	}
	// A list of numbers may be packed into one field.
	for v := f.val; len(v) > 0; {
		x, n := binary.Uvarint(v)
		if n <= 0 || !w.protoNumber(x) {
			return false
		}
		v = v[n:]
	}
	return true
}

func (w *walker) protoNumber(v uint64) bool {
	switch w.f.leaf {
	case leafInt:
		w.scratch = strconv.AppendInt(w.scratch[:0], int64(v), 10)
	case leafUint:
		w.scratch = strconv.AppendUint(w.scratch[:0], v, 10)
	case leafBool:
		w.scratch = strconv.AppendBool(w.scratch[:0], v != 0)
	default:
		return true
	}
	return w.emit(w.scratch)
}

// protoMessage emits a value that is a message in protobuf and a scalar in JSON.
func (w *walker) protoMessage(b []byte) bool {
	switch w.f.leaf {
	case leafTime, leafMicroTime:
		// An empty message is the zero time, which is null in JSON.
		if len(b) == 0 {
			return true
		}
		sec := number(b, timeSeconds)
		if w.f.leaf == leafTime {
			w.scratch = time.Unix(sec, 0).UTC().AppendFormat(w.scratch[:0], time.RFC3339)
			break
		}
		nanos := number(b, timeNanos)
		w.scratch = time.Unix(sec, nanos).UTC().AppendFormat(w.scratch[:0], metav1.RFC3339Micro)
	case leafDuration:
		nanos := number(b, durationNanos)
		w.scratch = append(w.scratch[:0], time.Duration(nanos).String()...)
	case leafQuantity:
		f, _ := firstField(b, quantityText)
		if len(f.val) == 0 {
			return w.emit(w.f.zero)
		}
		return w.emit(f.val)
	case leafIntOrString:
		if kind := number(b, intstrType); kind != 0 {
			f, _ := firstField(b, intstrText)
			return w.emit(f.val)
		}
		w.scratch = strconv.AppendInt(w.scratch[:0], number(b, intstrInt), 10)
	}
	return w.emit(w.scratch)
}

// number returns the varint in field num of message b, or 0 if there is none.
func number(b []byte, num int) int64 {
	f, ok := firstField(b, num)
	if !ok || f.kind != protoVarint {
		return 0
	}
	return lastVarint(b[f.from:f.end])
}
