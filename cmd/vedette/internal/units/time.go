package units

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// layouts are the accepted forms of a time. Times without a zone are local.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// ParseTime parses a time, or how long ago it was. An empty text is the zero time.
func ParseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			y, m, day := now.Local().Date()
			return time.Date(y, m, day, t.Hour(), t.Minute(), t.Second(), 0, time.Local), nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 100_000 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time; use how long ago it was (2h, 3d), 15:04, 2026-03-01 or 2026-03-01T15:04:05Z", text)
}

// ParsePeriod parses the values of --since and --until. An empty value is the zero time.
func ParsePeriod(since, until string, now time.Time) (from, to time.Time, err error) {
	if from, err = ParseTime(since, now); err != nil {
		return from, to, fmt.Errorf("--since: %w", err)
	}
	if to, err = ParseTime(until, now); err != nil {
		return from, to, fmt.Errorf("--until: %w", err)
	}
	return from, to, nil
}

// Timestamp formats a time for programs. The zero time is empty.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Local formats a time for people.
func Local(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05.000")
}

// Clock formats the local time of day, in milliseconds.
func Clock(t time.Time) string { return t.Format("15:04:05.000") }
