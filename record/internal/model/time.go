package model

import "time"

// second is one second in microseconds.
const second = 1_000_000

// Micros returns a time as the database stores it: microseconds since 1970, or 0 for
// the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time is the inverse of Micros.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

// HappenedAt returns when an object entered its state, in microseconds. reported is the
// time that the object itself gives, seen when the revision was read, created when the
// object was created, and since when the object entered its previous state, or 0.
//
// A reported time before creation, before the previous state or after seen belongs to
// something else; HappenedAt then returns seen. Reported times are often cut to a second,
// so within the same second seen is more precise.
func HappenedAt(reported, seen, created time.Time, since int64) int64 {
	at, read := Micros(reported), Micros(seen)
	switch {
	case reported.IsZero(), at > read, reported.Before(created):
		return max(read, since)
	case at/second == read/second:
		return max(read, since)
	case at >= since:
		return at
	case at/second == since/second: // cut to a second
		return since
	}
	return max(read, since)
}
