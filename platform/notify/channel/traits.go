package channel

import "time"

// Rate is the number of messages that an endpoint accepts in a period. The zero Rate means
// no limit.
type Rate struct {
	Count int
	Per   time.Duration
}

// Every returns the interval between messages that never exceeds the rate; 0 means no
// limit.
func (r Rate) Every() time.Duration {
	if r.Count <= 0 {
		return 0
	}
	return r.Per / time.Duration(r.Count)
}

// Traits are the properties of a channel that a sender needs before it sends. They never
// change.
type Traits struct {
	// Kind names the protocol, such as "feishu".
	Kind string
	// Rate is below the limit of the endpoint, so that other programs may use it too.
	Rate Rate
	// DigestByDefault is true if the endpoint blocks senders for a long time after too
	// many messages. Rules then send digests unless they set "now".
	DigestByDefault bool
	// Timeout is the maximum duration of Send. Send enforces it.
	Timeout time.Duration
}
