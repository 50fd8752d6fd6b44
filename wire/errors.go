package wire

import "fmt"

// SyntaxError says that the bytes of a stream are damaged. The reader that
// returned it returns it again: what follows can not be told from the damage.
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

// TooLargeError says that one value of a stream exceeds Options.MaxRecord.
// The reader that returned it returns it again.
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

// InvalidError says that one record or event can not be used, though the
// stream around it is sound: the next call reads on behind it.
type InvalidError struct {
	// Offset counts bytes from the start of the stream to the object.
	Offset int64
	// Key names the object as far as it could be read.
	Key Key
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

// isInvalid reports whether a reader can read on behind an error.
func isInvalid(err error) bool {
	_, ok := err.(*InvalidError)
	return ok
}
