package wire

// cursor reads the values of a stream in JSON or CBOR, in order. Its methods consume what
// they return. An error means that the stream cannot be read further. A method with a head
// marks the object unusable, and consumes the value, if the value has another type than the
// field needs.
type cursor interface {
	window() *window
	encoding() Encoding

	// frame reports whether the stream ends before the next frame of a watch.
	frame() (end bool, err error)
	// tail returns io.EOF if nothing follows the last value.
	tail() error

	// enter consumes the beginning of a map, which must come next. want describes the map.
	enter(g *group, want string) error
	// items consumes the beginning of the items of a list. It returns false for null.
	items(g *group) (bool, error)
	// mapField consumes the beginning of a map. It returns false for other values.
	mapField(h *head, field string, g *group) (bool, error)
	// member consumes the key of the next member of a map, and element what precedes the
	// next element of an array. They return false at the end of the group.
	member(g *group) (key []byte, ok bool, err error)
	element(g *group) (bool, error)

	// begin consumes the beginning of an object. It returns false if the value is not an
	// object. end is called after the object, with the error of its members.
	begin(h *head, g *group) (bool, error)
	end(h *head, g *group, err error) error
	// managed consumes the value of managedFields and records the bytes to cut.
	managed(h *head, g *group) error

	// text consumes a string or null.
	text(h *head, field string, dst *[]byte) error
	// integer consumes a value. It does not change dst if the value is not an integer.
	integer(dst *int64) error
	skip() error
}

// group is an array or a map that is being read.
type group struct {
	at int64 // offset of the key of the current member

	// JSON:
	n       int   // number of elements or members so far
	comma   int64 // offset of the comma before the current member, or of the first member
	outside int   // depth of the brackets around the object

	// CBOR:
	cborGroup
	number span // the number of elements or pairs; empty if the group is open
}
