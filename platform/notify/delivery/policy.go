package delivery

import (
	"math/rand/v2"
	"time"
)

// Policy configures the retries of failed deliveries. The zero value has the defaults.
type Policy struct {
	// Backoff has the waits after the first try, the second and so on; after the last wait
	// and try, a delivery is dead. Up to a fifth is added at random. Default: the schedule
	// of Standard Webhooks, 5 s to 24 h in nine steps.
	Backoff []time.Duration
	// Threshold is the number of successive failures after which a channel pauses; default
	// 5.
	Threshold int
	// Pause is the duration of the first pause, and MaxPause the maximum; it doubles with
	// each failure. Default 5 s and 10 min.
	Pause, MaxPause time.Duration
}

// standardBackoff is the schedule that Standard Webhooks recommends, after the first try.
var standardBackoff = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxRetryAfter is the longest wait that an endpoint can request.
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

// Tries returns the number of tries before a delivery is dead.
func (p Policy) Tries() int { return len(p.withDefaults().Backoff) + 1 }

// wait returns the wait after a number of failed tries. more is false after the last try.
func (p Policy) wait(attempts int, retryAfter time.Duration) (d time.Duration, more bool) {
	if attempts > len(p.Backoff) {
		return 0, false
	}
	return max(jitter(p.Backoff[attempts-1]), min(retryAfter, maxRetryAfter)), true
}

// pause returns the duration of a pause after a number of failures beyond the threshold.
func (p Policy) pause(beyond int) time.Duration {
	d := p.Pause
	for ; beyond > 0 && d < p.MaxPause; beyond-- {
		d *= 2
	}
	return jitter(min(d, p.MaxPause))
}

// jitter adds up to a fifth, so that simultaneous failures are not retried simultaneously.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Float64()*float64(d)/5)
}
