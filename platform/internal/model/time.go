package model

import "time"

// second is one second in microseconds.
const second = 1_000_000

// Micros returns a time as the database stores it: microseconds since 1970, or 0 for the
// zero time.
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

// HappenedAt returns the time when an object entered its state. All times are in
// microseconds. reported is the time that the object itself reports, seen is the time when
// the revision was read, created is the creation time of the object, and since is the time
// when the object entered its previous state; reported and since may be 0.
//
// A reported time before the creation, before the previous state or after seen cannot be
// right; HappenedAt then returns seen. Reported times are often truncated to seconds, so
// within the same second seen is more precise.
func HappenedAt(reported, seen, created time.Time, since int64) int64 {
	at, read := Micros(reported), Micros(seen)
	switch {
	case reported.IsZero(), at > read, reported.Before(created):
		return max(read, since)
	case at/second == read/second:
		return max(read, since)
	case at >= since:
		return at
	case at/second == since/second: // truncated to a second
		return since
	}
	return max(read, since)
}
