package channel

import (
	"errors"
	"fmt"
	"time"
)

// ErrorKind says what a sender does after an error.
type ErrorKind int

const (
	// Temporary: the same message may arrive later. It is the kind of every error that is
	// no *Error.
	Temporary ErrorKind = iota
	// Throttled: the endpoint wants fewer messages. Every message of the channel waits for
	// RetryAfter, or for the backoff if RetryAfter is 0.
	Throttled
	// Permanent: this message will never arrive. Further tries are useless.
	Permanent
	// Disabled: the endpoint is gone, so no message will arrive until somebody changes the
	// channel.
	Disabled
)

// String returns the kind in lower case.
func (k ErrorKind) String() string {
	switch k {
	case Temporary:
		return "temporary"
	case Throttled:
		return "throttled"
	case Permanent:
		return "permanent"
	case Disabled:
		return "disabled"
	}
	return fmt.Sprintf("ErrorKind(%d)", int(k))
}

// Error says why a message was not sent. Neither Status nor Err shows a secret, or a URL
// that contains a secret.
type Error struct {
	Kind ErrorKind
	// RetryAfter is how long the endpoint asks to wait; 0 if it did not say.
	RetryAfter time.Duration
	// Status is the endpoint's own code, such as "HTTP 429" or "errcode 45009"; it may be
	// empty.
	Status string
	// Err is the cause.
	Err error
}

// Error returns the status and the cause.
func (e *Error) Error() string {
	switch {
	case e.Err == nil && e.Status == "":
		return e.Kind.String() + " error"
	case e.Err == nil:
		return e.Status
	case e.Status == "":
		return e.Err.Error()
	}
	return e.Status + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorOf returns err as an *Error. An error of another type becomes Temporary, because a
// second try does less harm than a lost message. It returns nil if err is nil.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Temporary, Err: err}
}
