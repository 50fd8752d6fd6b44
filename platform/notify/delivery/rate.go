package delivery

import "time"

// Rate is the rate limit of a channel: at most Count messages in any interval Per. The
// zero value means no limit.
type Rate struct {
	Count int
	Per   time.Duration
}

// allowance returns how many messages may be sent now and, if that is 0, the time when the
// next one may be sent. at is the time when the allowance is full again, in microseconds.
// No interval Per has more than Count messages: a quarter of them may be a burst, and the
// others follow evenly.
func (r Rate) allowance(at int64, now time.Time) (n int, next time.Time) {
	if r.Count <= 0 || r.Per <= 0 {
		return unlimited, time.Time{}
	}
	spacing, burst := r.spacing()
	free := (burst-1)*spacing - (max(at, now.UnixMicro()) - now.UnixMicro())
	if free < 0 {
		return 0, now.Add(time.Duration(-free) * time.Microsecond)
	}
	return int(free/spacing) + 1, time.Time{}
}

// take returns the time when the allowance is full again after n more messages.
func (r Rate) take(at int64, now time.Time, n int) int64 {
	if r.Count <= 0 || r.Per <= 0 {
		return 0
	}
	spacing, _ := r.spacing()
	return max(at, now.UnixMicro()) + int64(n)*spacing
}

// unlimited is an allowance that no claim exceeds.
const unlimited = 1 << 30

// spacing returns the interval between two messages in microseconds, and the size of a
// burst.
func (r Rate) spacing() (micros, burst int64) {
	burst = max(1, int64(r.Count)/4)
	between := int64(r.Count) + 1 - burst
	return max(1, (r.Per.Microseconds()+between-1)/between), burst
}
