package delivery

import "time"

// Result says how a try ended.
type Result int

// The results of a try.
const (
	// Delivered: the channel accepted the message.
	Delivered Result = iota
	// Temporary: the channel failed, and may succeed later.
	Temporary
	// Throttling: the other side wants fewer messages. It does not count as a try, and the
	// channel pauses.
	Throttling
	// Permanent: the message will never be accepted. The delivery is dead.
	Permanent
	// Disabled: the end is gone, as HTTP 410 says. The channel is disabled until a person
	// enables it, and its deliveries wait.
	Disabled
	// Released: nothing was tried. It does not count.
	Released
)

// Outcome is the result of a try of a claimed delivery.
type Outcome struct {
	// Delivery is what Claim returned.
	Delivery Delivery
	Result   Result
	// Status is the answer of the channel, and Error its error. Neither has a secret. Ref is
	// what the channel calls the message; it may be empty.
	Status, Error, Ref string
	// RetryAfter is what the other side asked for; 0 if nothing.
	RetryAfter time.Duration
	// Local says that the channel was not asked, so the result says nothing about it.
	Local bool
	// At is when the try ended; default time.Now.
	At time.Time
}
