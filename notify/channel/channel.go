package channel

import (
	"context"

	"github.com/vedette-io/vedette/notify/message"
)

// Channel sends messages to one configured destination. Several goroutines may use it at
// the same time.
type Channel interface {
	// Send renders the message, sends it, and waits for the endpoint's answer. It modifies
	// neither m nor what m refers to.
	//
	// Errors: *Error, whose Kind says what to do next. Errors name no secret.
	Send(ctx context.Context, m *message.Message, to Receiver) (Receipt, error)
	// Traits returns the same value at every call.
	Traits() Traits
	// Check reports why a message would not arrive, as far as this can be found out without
	// sending a message. It serves `vedette doctor`.
	Check(ctx context.Context) error
	// Close releases connections. Send fails afterwards.
	Close() error
}
