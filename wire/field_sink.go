package wire

// fieldSink receives the values of a field.
type fieldSink struct {
	yield   func([]byte) bool // nil: append to dst
	dst     []string
	scratch []byte // holds a value whose text differs from its bytes on the wire
}

// emit passes one value on, and reports whether the caller wants more values.
func (w *fieldSink) emit(value []byte) bool {
	if w.yield != nil {
		return w.yield(value)
	}
	w.dst = append(w.dst, string(value))
	return true
}
