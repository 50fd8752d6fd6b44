package wire

import (
	"io"
	"iter"
)

// Each calls yield with every value of the field in rec, in the order of the wire, until
// yield returns false. The bytes belong to the record or to f: yield must not modify or
// keep them. Each allocates only a larger buffer when a value needs one. Damage in the
// body ends the values. A record in protobuf for a type without protobuf has no values.
func (f *Field) Each(rec Record, yield func(value []byte) bool) {
	w := f.walker()
	w.yield = yield
	w.read(rec)
	f.release(w)
}

// Append appends the values of the field in rec to dst and returns the result; see Each.
// It allocates the strings, and a larger dst if needed.
func (f *Field) Append(dst []string, rec Record) []string {
	w := f.walker()
	w.dst = dst
	w.read(rec)
	dst = w.dst
	f.release(w)
	return dst
}

// Values returns the values of the field in rec, as Each does.
func (f *Field) Values(rec Record) iter.Seq[string] {
	return func(yield func(string) bool) {
		f.Each(rec, func(value []byte) bool { return yield(string(value)) })
	}
}

func (w *walker) read(rec Record) {
	if len(rec.Body) == 0 {
		return // the record has no body
	}
	switch rec.Encoding {
	case JSON:
		w.json.jsonText = jsonText{b: rec.Body}
		w.follow(&w.json, w.f.path.steps, false)
	case Protobuf:
		if w.f.proto != nil {
			w.proto(rec.Body, w.f.proto)
		}
	case CBOR:
		w.window = window{buf: rec.Body, max: len(rec.Body) + 1, err: io.EOF}
		w.follow(&w.cbor, w.f.path.steps, false)
	}
}
