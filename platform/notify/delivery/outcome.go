package delivery

import "time"

// Result is the result of a try.
type Result int

// The results of a try.
const (
	// Delivered: the channel accepted the message.
	Delivered Result = iota
	// Temporary: the channel failed, and may succeed later.
	Temporary
	// Throttling: the endpoint requested fewer messages. This does not count as a try, and
	// the channel pauses.
	Throttling
	// Permanent: the message can never be accepted. The delivery becomes a dead letter.
	Permanent
	// Disabled: the endpoint no longer exists, as with HTTP 410. The channel is disabled
	// until a person enables it, and its deliveries wait.
	Disabled
	// Released: no try was made. It does not count.
	Released
)

// Outcome is the result of a try of a claimed delivery.
type Outcome struct {
	// Delivery is the delivery that Claim returned.
	Delivery Delivery
	Result   Result
	// Status is the answer of the channel, and Error its error. Neither contains a secret.
	// Ref identifies the message at the channel; it may be empty.
	Status, Error, Ref string
	// RetryAfter is the wait that the endpoint requested, or 0.
	RetryAfter time.Duration
	// Local is set if the channel was not called, so the result does not affect its state.
	Local bool
	// At is the end of the try; default sqldb.DB.Now.
	At time.Time
}
