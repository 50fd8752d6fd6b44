package rule

import "time"

// Digest collects messages and sends them as one, at the end of a window.
type Digest struct {
	// Every is the length of a window, from a minute to a day. Windows begin at midnight
	// plus a multiple of Every; the last window of a day ends at midnight. If Every is more
	// than an hour, windows begin by the wall clock, so that a window in which clocks change
	// is longer or shorter by that change.
	Every time.Duration
	// At shifts the windows: a digest of a day with At of 9 hours is sent at 09:00.
	At time.Duration
	// Location is the time zone of midnight, UTC if nil.
	Location *time.Location
}

// Window returns the window that a time is in. The end belongs to the next window.
func (d *Digest) Window(at time.Time) (from, to time.Time) {
	location := d.Location
	if location == nil {
		location = time.UTC
	}
	year, month, day := at.In(location).Date()
	if at.Before(clock(year, month, day, d.At, location)) {
		day--
	}
	from, to = clock(year, month, day, d.At, location), clock(year, month, day+1, d.At, location)
	if d.Every <= time.Hour {
		from = from.Add(at.Sub(from).Truncate(d.Every))
		return from, earliest(from.Add(d.Every), to)
	}
	for passed := d.Every; passed < 24*time.Hour; passed += d.Every {
		next := clock(year, month, day, d.At+passed, location)
		if next.After(at) {
			return from, earliest(next, to)
		}
		from = next
	}
	return from, to
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
