package rule

import (
	"slices"
	"time"
)

// Quiet are hours in which messages are held until the hours end.
type Quiet struct {
	// From and To are times of day, as durations since midnight. If From is after To, the
	// hours end on the next day.
	From, To time.Duration
	// Location is the time zone, UTC if nil.
	Location *time.Location
	// Days are the days on which the hours begin; empty means all days.
	Days []time.Weekday
}

// Until reports whether a time is within the quiet hours, and when they end.
func (q *Quiet) Until(at time.Time) (end time.Time, quiet bool) {
	if q == nil || q.From == q.To {
		return time.Time{}, false
	}
	location := q.Location
	if location == nil {
		location = time.UTC
	}
	local := at.In(location)
	for _, days := range []int{-1, 0} { // hours that began yesterday, and today
		year, month, day := local.Date()
		begin := clock(year, month, day+days, q.From, location)
		end := clock(year, month, day+days, q.To, location)
		if q.To < q.From {
			end = clock(year, month, day+days+1, q.To, location)
		}
		if q.begins(begin.Weekday()) && !at.Before(begin) && at.Before(end) {
			return end, true
		}
	}
	return time.Time{}, false
}

func (q *Quiet) begins(day time.Weekday) bool {
	if len(q.Days) == 0 {
		return true
	}
	return slices.Contains(q.Days, day)
}

// clock returns a time of day by the wall clock, also on days with a change of daylight
// saving time. A time that a change skips is as long after the change; of a time that comes
// twice, clock returns one.
func clock(year int, month time.Month, day int, of time.Duration, location *time.Location) time.Time {
	date := func(in *time.Location) time.Time {
		return time.Date(year, month, day, int(of/time.Hour), int(of%time.Hour/time.Minute), int(of%time.Minute/time.Second), 0, in)
	}
	at, wanted := date(location), date(time.UTC)
	_, offset := at.Zone()
	// time.Date may return a skipped time as one before the change.
	skipped := max(0, wanted.Sub(at.Add(time.Duration(offset)*time.Second)))
	return at.Add(skipped)
}
