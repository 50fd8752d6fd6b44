package wire

import (
	"io"
	"iter"
	"reflect"
	"sync/atomic"
)

// maxScratch is the size of the largest buffer, in bytes, that a Field keeps between two
// records.
const maxScratch = 64 << 10

// Field reads the values of one field from the bytes of records of one type, without
// decoding them. Values are texts:
//
//   - a string is its text, a number or a boolean its JSON text;
//   - a time, duration, quantity or IntOrString is its JSON form, whatever the encoding
//     of the record;
//   - "", 0 and false are values;
//   - a field that is not a pointer, in an object that exists, always has a value: if it
//     is absent or null, its value is the zero value that decoding yields, such as "" for
//     the spec.nodeName of a pod without a node. A zero time is null in JSON and no value;
//   - a nil pointer, an absent key of a map, an absent element of a list, and an absent
//     field or null without a Go struct (Unstructured) have no value, and neither does an
//     object or a list.
//
// A duplicate field in an object, which the API server never sends, counts once. Text
// that is not UTF-8 is passed on unchanged.
//
// A Field is immutable: any number of goroutines may use one.
type Field struct {
	path  Path
	proto []protoStep // nil if the type has no protobuf
	leaf  leaf

	// zero is the value if the last fixed steps of path are absent: these steps are
	// struct members that are not pointers. The same holds for the last protoFixed steps
	// of proto.
	zero              []byte
	fixed, protoFixed int

	// idle is an unused walker, so that reading a field allocates only its results. A
	// goroutine that finds no idle walker allocates one.
	idle atomic.Pointer[walker]
}

// FieldOf binds a path to T. For a T with protobuf (the built-in types and
// PartialObjectMetadata), the path is checked against the Go struct, by the names of
// the JSON tags, and must end at a scalar. For all other types (Unstructured, custom
// resources) any path is accepted, because the server may send fields that T does not
// have. A path that leads nowhere yields no values.
//
// Errors: *PathError for a path that cannot be parsed, for a field that T does not have
// (with the closest field of T), and for a field that is not a scalar. The fields
// apiVersion and kind of a T with protobuf are rejected: records do not hold them,
// because they belong to the collection.
func FieldOf[T any](path string) (*Field, error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	f := &Field{path: p}
	b := binder{text: path, t: reflect.TypeFor[T](), root: reflect.TypeFor[T](), numbered: Codec[T]{}.Protobuf()}
	err = b.bind(p.steps)
	if err != nil && b.numbered {
		return nil, err
	}
	if err != nil {
		return f, nil // T lacks the field, but the server may send it
	}
	f.leaf, f.zero = b.leaf, zeroes[b.leaf]
	if f.zero != nil {
		f.fixed, f.protoFixed = b.fixed, b.protoFixed
	}
	if b.numbered {
		f.proto = b.steps
	}
	return f, nil
}

// Path returns the path of the field.
func (f *Field) Path() Path { return f.path }

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

func (f *Field) walker() *walker {
	if w := f.idle.Swap(nil); w != nil {
		return w
	}
	return &walker{f: f}
}

func (f *Field) release(w *walker) {
	w.yield, w.dst, w.window = nil, nil, window{}
	if cap(w.scratch) <= maxScratch {
		f.idle.Store(w)
	}
}

// walker reads the values of a field from one record.
type walker struct {
	f       *Field
	yield   func([]byte) bool // nil: append to dst
	dst     []string
	scratch []byte // holds a value whose text differs from its bytes on the wire
	window  window // the record, for scanners that need a window
}

func (w *walker) read(rec Record) {
	if len(rec.Body) == 0 {
		return // the record has no body
	}
	switch rec.Encoding {
	case JSON:
		w.json(&jsonText{b: rec.Body}, w.f.path.steps, false)
	case Protobuf:
		if w.f.proto != nil {
			w.proto(rec.Body, w.f.proto)
		}
	case CBOR:
		w.window = window{buf: rec.Body, max: len(rec.Body) + 1, err: io.EOF}
		w.cbor(&cborScanner{w: &w.window}, w.f.path.steps, false)
	}
}

// emit passes one value on, and reports whether the caller wants more values.
func (w *walker) emit(value []byte) bool {
	if w.yield != nil {
		return w.yield(value)
	}
	w.dst = append(w.dst, string(value))
	return true
}

// absent emits the zero value for a member that does not exist, left steps before the
// end of the path, if the struct always has it. It reports whether the caller wants
// more values.
func (w *walker) absent(left int) bool { return left > w.f.fixed || w.emit(w.f.zero) }
