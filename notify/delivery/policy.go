package delivery

import (
	"math/rand/v2"
	"time"
)

// Policy says when failed deliveries are tried again. The zero value has the defaults.
type Policy struct {
	// Backoff is the waits after the first try, the second and so on; a delivery is dead when
	// they are used up. A fifth is added at random. Default: that of Standard Webhooks, 5 s to
	// 24 h in nine steps.
	Backoff []time.Duration
	// Threshold is after how many failures in a row a channel pauses; default 5.
	Threshold int
	// Pause is how long it does the first time, and MaxPause at most: it doubles with each
	// failure. Default 5 s and 10 min.
	Pause, MaxPause time.Duration
}

// standardBackoff is the schedule that Standard Webhooks recommends, after the first try.
var standardBackoff = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxRetryAfter bounds what the other side may ask for.
const maxRetryAfter = 24 * time.Hour

func (p Policy) withDefaults() Policy {
	if p.Backoff == nil {
		p.Backoff = standardBackoff
	}
	if p.Threshold <= 0 {
		p.Threshold = 5
	}
	if p.Pause <= 0 {
		p.Pause = 5 * time.Second
	}
	if p.MaxPause <= 0 {
		p.MaxPause = 10 * time.Minute
	}
	return p
}

// Tries returns how often a delivery is tried until it is dead.
func (p Policy) Tries() int { return len(p.withDefaults().Backoff) + 1 }

// wait returns how long to wait after a number of failed tries. more is false after the
// last try.
func (p Policy) wait(attempts int, retryAfter time.Duration) (d time.Duration, more bool) {
	if attempts > len(p.Backoff) {
		return 0, false
	}
	return max(jitter(p.Backoff[attempts-1]), min(retryAfter, maxRetryAfter)), true
}

// pause returns how long a channel pauses after a number of failures beyond the threshold.
func (p Policy) pause(beyond int) time.Duration {
	d := p.Pause
	for ; beyond > 0 && d < p.MaxPause; beyond-- {
		d *= 2
	}
	return jitter(min(d, p.MaxPause))
}

// jitter adds up to a fifth, so that what failed together is not tried together.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Float64()*float64(d)/5)
}
