package delivery

import (
	"cmp"
	"time"
)

// ready reports whether a claim may take deliveries. If not, next is the time of the next
// attempt; zero if a person must enable the channel first.
func (c *Channel) ready(now time.Time) (ok bool, next time.Time) {
	if !c.DisabledAt.IsZero() {
		return false, time.Time{}
	}
	if c.PausedUntil.After(now) {
		return false, c.PausedUntil
	}
	return true, time.Time{}
}

// begin records a claim that lasts until a time. It returns how many deliveries the claim
// may take: one if the channel was broken.
func (c *Channel) begin(threshold, limit int, until time.Time) int {
	if c.Failures < threshold {
		c.Cause = Running
		return limit
	}
	// Other workers must not claim during the trial. If its worker crashes, they may claim
	// after until.
	c.Cause, c.trial, c.PausedUntil = Broken, c.token, until
	return min(1, limit)
}

// extend records the extension of a claim.
func (c *Channel) extend(token int64, until time.Time) {
	if c.trial != 0 && c.trial == token {
		c.PausedUntil = until
	}
}

// note applies the result of a try. Results of tries from before a pause do not extend it.
// recovered is set if the channel was broken and works again.
func (c *Channel) note(o *Outcome, p Policy, now time.Time) (recovered bool) {
	trial := c.trial != 0 && o.Delivery.Token == c.trial
	if trial {
		c.trial, c.PausedUntil = 0, now
	}
	switch {
	case o.Local || o.Result == Released:
	case o.Result == Disabled:
		c.DisabledAt, c.Reason = now, cmp.Or(o.Error, o.Status)
	case o.Result == Delivered || o.Result == Permanent: // the channel works
		recovered = c.Failures >= p.Threshold
		if c.Failures = 0; c.Cause == Broken {
			c.Cause, c.PausedUntil, c.trial = Running, time.Time{}, 0
		}
	case o.Result == Throttling:
		if trial || !c.PausedUntil.After(now) {
			c.Failures++
		}
		wait := min(o.RetryAfter, maxRetryAfter)
		if wait <= 0 {
			wait = p.pause(c.Failures - 1)
		}
		if until := now.Add(wait); until.After(c.PausedUntil) {
			c.PausedUntil, c.Cause = until, Throttled
		}
	case trial || !c.PausedUntil.After(now):
		if c.Failures++; c.Failures >= p.Threshold {
			c.PausedUntil, c.Cause = now.Add(p.pause(c.Failures-p.Threshold)), Broken
		}
	}
	return recovered
}
