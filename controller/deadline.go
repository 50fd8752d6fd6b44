package controller

import "time"

// passed reports whether a time has passed by the monotonic clock or by the wall clock. One
// of them may not advance while the machine is suspended.
func passed(until time.Time) bool {
	now := time.Now()
	return !until.IsZero() && (!now.Before(until) || !now.Round(0).Before(until.Round(0)))
}
