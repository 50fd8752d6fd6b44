package wire

import "fmt"

// SyntaxError says that the bytes of a stream are damaged. The reader that
// returned it returns it again: what follows cannot be told from the damage.
type SyntaxError struct {
	// Offset counts bytes from the start of the stream to the damage.
	Offset int64
	// Reason says what was found and what was expected.
	Reason string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("damaged stream at byte %d: %s", e.Offset, e.Reason)
}

// TooLargeError says that one value of a stream exceeds Options.MaxRecord, and
// that it is not an object which could be passed over: an object has eight times
// as much before it counts as damage. The reader that returned it returns it again.
type TooLargeError struct {
	// Offset counts bytes from the start of the stream to the value.
	Offset int64
	// Limit is Options.MaxRecord in bytes.
	Limit int
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a value of more than %d bytes begins at byte %d of the stream: raise MaxRecord if such objects are expected", e.Limit, e.Offset)
}

// InvalidError says that one record or event cannot be used, though the
// stream around it is sound: the next call reads on behind it.
type InvalidError struct {
	// Offset counts bytes from the start of the stream to the object.
	Offset int64
	// Key names the object. It is zero where not all of it could be read.
	Key Key
	// UID and Version are those of the object, "" and zero where they could not
	// be read.
	UID     string
	Version Version
	// Event is what a watch says of the object, zero where that could not be read
	// and in lists.
	Event EventType
	// Reason says what is wrong with it.
	Reason string
}

// Error implements error.
func (e *InvalidError) Error() string {
	if e.Key == (Key{}) {
		return fmt.Sprintf("unusable object at byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("unusable object %s at byte %d: %s", e.Key, e.Offset, e.Reason)
}

// isSyntax reports whether an error is damage of what was read.
func isSyntax(err error) bool {
	_, ok := err.(*SyntaxError)
	return ok
}

// isInvalid reports whether a reader can read on behind an error.
func isInvalid(err error) bool {
	_, ok := err.(*InvalidError)
	return ok
}
