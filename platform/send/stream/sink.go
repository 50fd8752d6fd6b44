package stream

import "context"

// Sink is a message broker that stores events. Package streamtest has the tests that each
// sink must pass.
type Sink interface {
	// Send returns nil when the broker has stored all events durably. No two of them have
	// the same key. After an error, some of them may have been stored, and the caller sends
	// all of them again. It creates missing streams or topics, and connects again after an
	// outage. It is called once at a time.
	//
	// Errors: a TooLargeError for an event that the broker will never take; everything else that
	// keeps an event from being stored, without secrets; the cause of ctx.
	Send(ctx context.Context, events []Event) error

	// String names the destination for people and logs, without secrets.
	String() string

	// Close closes the connection. It may be called once, after the last Send.
	Close() error
}
