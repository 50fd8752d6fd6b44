package wire

import (
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

// Path returns the path of the field.
func (f *Field) Path() Path { return f.path }

func (f *Field) walker() *walker {
	if w := f.idle.Swap(nil); w != nil {
		return w
	}
	w := &walker{f: f}
	w.json.to, w.cbor.to, w.cbor.w = &w.fieldSink, &w.fieldSink, &w.window
	return w
}

func (f *Field) release(w *walker) {
	w.yield, w.dst, w.window, w.json.b = nil, nil, window{}, nil
	if cap(w.scratch) <= maxScratch {
		f.idle.Store(w)
	}
}

// walker reads the values of a field from one record.
type walker struct {
	f *Field
	fieldSink
	window window // the record, for cbor
	json   jsonFields
	cbor   cborFields
}

// absent emits the zero value for a member that does not exist, left steps before the
// end of the path, if the struct always has it. It reports whether the caller wants
// more values.
func (w *walker) absent(left int) bool { return left > w.f.fixed || w.emit(w.f.zero) }

// leaf is the type of the value at the end of a path.
type leaf uint8

const (
	leafText leaf = iota
	leafInt
	leafUint
	leafBool
	leafTime
	leafMicroTime
	leafDuration
	leafQuantity
	leafIntOrString
)

// protoStepKind is the kind of a protoStep.
type protoStepKind uint8

const (
	protoField protoStepKind = iota // all fields with number num
	protoEntry                      // the value of a map entry whose key is text
	protoAny                        // the value of any map entry
	protoWhere                      // the message itself, if its field where equals text
)

// protoStep is one step of a path that is bound to a type with protobuf.
type protoStep struct {
	kind  protoStepKind
	num   int
	once  bool  // the field is not repeated: only the first occurrence counts
	where []int // the numbers on the way to the field: several for embedded structs
	text  string
}
