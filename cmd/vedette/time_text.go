package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// layouts are the accepted forms of a time. Times without a zone are local.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// parseTime parses a time, or how long ago it was. An empty text is the zero time.
func parseTime(text string, now time.Time) (time.Time, error) {
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

// stamp formats a time for programs. The zero time is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// local formats a time for people.
func local(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05.000")
}

// length formats a duration with at most two units.
func length(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	h := int(d.Round(time.Hour).Hours())
	return fmt.Sprintf("%dd%dh", h/24, h%24)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
