package record

import "time"

// The delay between attempts to write a batch doubles from firstDelay to maxDelay.
const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 5 * time.Second
)

// nextDelay returns the delay that follows d.
func nextDelay(d time.Duration) time.Duration { return min(2*d, maxDelay) }
