package jobfilter

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxNumber is the maximum number of GPUs, pods and tries.
const maxNumber = 1_000_000_000

// maxDuration is the maximum of durations and ages.
const maxDuration = 100 * 365 * 24 * time.Hour

// parseNumber reads a number of at least 0.
func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > maxNumber {
		return 0, errors.New("want a number from 0 to 1000000000")
	}
	return int64(n), nil
}

// units are the units of durations.
var units = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// parseDuration reads a duration such as "90s", "2h30m" or "30d".
func parseDuration(text string) (total time.Duration, err error) {
	bad := errors.New("want a duration such as 90s, 2h30m or 30d")
	if text == "" {
		return 0, bad
	}
	for text != "" {
		i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 {
			return 0, bad
		}
		n, err := strconv.ParseInt(text[:i], 10, 64)
		unit := units[text[i]]
		if err != nil || unit == 0 {
			return 0, bad
		}
		if n > int64((maxDuration-total)/unit) {
			return 0, errors.New("want a duration of at most 100 years")
		}
		total += time.Duration(n) * unit
		text = text[i+1:]
	}
	return total, nil
}

// interval is the interval of time that a text names, in microseconds since 1970. An age
// names an instant; a job matches the text from that instant until now.
type interval struct {
	from, to int64
	age      bool
}

// parseTime reads a time: RFC 3339, "2026-11-22", "09:15" of the day of now in UTC, or an age
// such as "24h".
func parseTime(text string, now time.Time) (interval, error) {
	now = now.UTC()
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && inRange(at) {
		if at.Nanosecond() != 0 {
			return between(at, time.Microsecond), nil
		}
		return between(at, time.Second), nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil && inRange(at) {
		return between(at, 24*time.Hour), nil
	}
	if at, err := time.Parse("15:04", text); err == nil {
		day := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
		return between(day, time.Minute), nil
	}
	if age, err := parseDuration(text); err == nil {
		at := now.Add(-age).UnixMicro()
		return interval{from: at, to: at, age: true}, nil
	}
	return interval{}, errors.New("want a time such as 2026-11-22T09:15:00Z, 2026-11-22 or 09:15 (UTC), or an age such as 24h or 30d")
}

// Moment parses a time in the syntax of filters, for parameters that name an instant: an
// age is that long before now, and a day or a minute is its beginning.
//
// Errors: a text that is not a time.
func Moment(text string, now time.Time) (time.Time, error) {
	i, err := parseTime(text, now)
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMicro(i.from).UTC(), nil
}

// inRange reports whether a time is in the range of microseconds with room for an interval.
func inRange(at time.Time) bool { return at.Year() >= 1900 && at.Year() < 3000 }

func between(from time.Time, length time.Duration) interval {
	return interval{from: from.UnixMicro(), to: from.Add(length).UnixMicro()}
}

// holds reports whether an instant is in the interval, or satisfies a comparison with it.
func (i interval) holds(op Op, at int64) bool {
	switch op {
	case Greater:
		return at >= i.to && (!i.age || at > i.to)
	case AtLeast:
		return at >= i.from
	case Less:
		return at < i.from
	case AtMost:
		return at < i.to || i.age && at == i.to
	}
	to := i.to
	if i.age {
		to = math.MaxInt64
	}
	return at >= i.from && at < to
}
