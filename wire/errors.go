package wire

import "fmt"

// SyntaxError reports that the bytes of a stream are damaged. The reader returns the
// same error on every later call, because it cannot distinguish data from damage after it.
type SyntaxError struct {
	// Offset counts bytes from the start of the stream to the damage.
	Offset int64
	// Reason describes what was found and what was expected.
	Reason string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("damaged stream at byte %d: %s", e.Offset, e.Reason)
}

// TooLargeError reports that one value of a stream exceeds Options.MaxRecord and cannot
// be skipped. Objects can be skipped: an object counts as damage only beyond eight
// times that size. The reader returns the same error on every later call.
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

// InvalidError reports that one record or event is unusable, although the stream around
// it is intact: the next call continues after it.
type InvalidError struct {
	// Offset counts bytes from the start of the stream to the object.
	Offset int64
	// Key names the object. It is zero if not all of it could be read.
	Key Key
	// UID and Version are those of the object; "" and zero if they could not be read.
	UID     string
	Version Version
	// Event is the type of the watch event; zero in lists, and if it could not be read.
	Event EventType
	// Reason describes the defect.
	Reason string
}

// Error implements error.
func (e *InvalidError) Error() string {
	if e.Key == (Key{}) {
		return fmt.Sprintf("unusable object at byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("unusable object %s at byte %d: %s", e.Key, e.Offset, e.Reason)
}

// isSyntax reports whether an error means that the input is damaged.
func isSyntax(err error) bool {
	_, ok := err.(*SyntaxError)
	return ok
}

// isInvalid reports whether a reader can continue after an error.
func isInvalid(err error) bool {
	_, ok := err.(*InvalidError)
	return ok
}
