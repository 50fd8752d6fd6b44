package channel

import (
	"errors"
	"fmt"
	"time"
)

// ErrorKind determines what a sender does after an error.
type ErrorKind int

const (
	// Temporary: the same message may arrive later. Every error that is not an *Error has
	// this kind.
	Temporary ErrorKind = iota
	// Throttled: the endpoint requests fewer messages. Every message of the channel waits
	// for RetryAfter, or for the backoff if RetryAfter is 0.
	Throttled
	// Permanent: this message can never arrive. Retries are useless.
	Permanent
	// Disabled: the endpoint no longer exists, so no message arrives until a person
	// changes the channel.
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

// Error is the reason why a message was not sent. Neither Status nor Err contains a
// secret, or a URL with a secret.
type Error struct {
	Kind ErrorKind
	// RetryAfter is the wait that the endpoint requested; 0 if it requested none.
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
// repeated message does less harm than a lost one. It returns nil if err is nil.
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
