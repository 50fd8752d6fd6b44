package channel

import "time"

// Rate is how many messages an endpoint takes in a time. The zero Rate has no limit.
type Rate struct {
	Count int
	Per   time.Duration
}

// Every returns the time between two messages that never exceed the rate; 0 without a
// limit.
func (r Rate) Every() time.Duration {
	if r.Count <= 0 {
		return 0
	}
	return r.Per / time.Duration(r.Count)
}

// Traits are what a sender needs to know of a channel before it sends. They never change
// during the life of a channel.
type Traits struct {
	// Kind names the protocol, such as "feishu".
	Kind string
	// Rate is below the limit of the endpoint, so that other programs may use it, too.
	Rate Rate
	// DigestByDefault is true if the endpoint shuts senders out for long after too many
	// messages. Rules then send digests unless they say "now".
	DigestByDefault bool
	// Timeout is how long Send may take. Send obeys it by itself.
	Timeout time.Duration
}
