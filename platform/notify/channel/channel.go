package channel

import (
	"context"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// Channel sends messages to one configured destination. Several goroutines may use it at
// the same time.
type Channel interface {
	// Send renders the message, sends it, and waits for the answer of the endpoint. It
	// modifies neither m nor anything that m refers to.
	//
	// Errors: *Error, whose Kind determines the next step. Errors contain no secrets.
	Send(ctx context.Context, m *message.Message, to Receiver) (Receipt, error)
	// Traits returns the same value on every call.
	Traits() Traits
	// Check reports why a message would not arrive, as far as it can find out without
	// sending one. `vedette doctor` calls it.
	Check(ctx context.Context) error
	// Close releases connections. Send fails afterwards.
	Close() error
}
