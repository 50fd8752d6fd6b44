package wire

// fieldCursor reads the values of one record in memory, in JSON or CBOR, for a walker. ok is
// false if the record is damaged or if the walker wants no more values.
type fieldCursor interface {
	// value consumes the beginning of the next value. rest consumes what follows; so does
	// leaf, which emits a value that is neither a map nor an array. For such a value, rest
	// and leaf must be called right after value.
	value() (v fieldValue, ok bool)
	rest(v fieldValue) (ok bool)
	leaf(v fieldValue) (ok bool)
	skip() (ok bool)

	// next moves to the next element of an array or to the value of the next member of a
	// map. more is false at the end.
	next(v fieldValue) (after fieldValue, more, ok bool)
	// find moves to the value of the named member of a map, or to the end of the map.
	find(v fieldValue, name string) (after fieldValue, found, ok bool)
	// matches reports whether the next value matches a filter. It consumes nothing, because
	// the compared member may follow the wanted value.
	matches(s *step) bool
}

// fieldValue is a value that is being read.
type fieldValue struct {
	cborGroup              // for CBOR
	isMap, isArray, isNull bool
}
