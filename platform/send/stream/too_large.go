package stream

import "fmt"

// TooLargeError is the error of a Sink for an event that the broker does not take, even without its
// labels and its long texts.
type TooLargeError struct {
	Event Event
	Most  int    // size of a message that the broker takes, in bytes
	Limit string // setting of the broker: "max_payload of the server"
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the event %s about %s exceeds the %d bytes that the broker takes; raise %s", e.Event.ID, e.Event.Subject, e.Most, e.Limit)
}
