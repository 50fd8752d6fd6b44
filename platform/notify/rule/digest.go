package rule

import "time"

// Digest collects messages and sends them as one, at the end of a window.
type Digest struct {
	// Every is the length of a window, from a minute to a day. Windows begin at midnight
	// plus a multiple of Every; the last window of a day ends at midnight.
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
	begin := clock(year, month, day, d.At, location)
	if at.Before(begin) {
		day--
		begin = clock(year, month, day, d.At, location)
	}
	end := clock(year, month, day+1, d.At, location)
	from = begin.Add(at.Sub(begin).Truncate(d.Every))
	if to = from.Add(d.Every); to.After(end) {
		to = end
	}
	return from, to
}
