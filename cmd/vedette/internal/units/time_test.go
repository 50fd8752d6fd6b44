package units

import (
	"testing"
	"time"
)

// TestParseTime checks the accepted forms of times.
func TestParseTime(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"":                     {},
		"2h":                   now.Add(-2 * time.Hour),
		"1.5d":                 now.Add(-36 * time.Hour),
		"09:30":                time.Date(2026, 3, 2, 9, 30, 0, 0, time.Local),
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local),
		"2026-03-01 09:30:05":  time.Date(2026, 3, 1, 9, 30, 5, 0, time.Local),
		"2026-03-01T09:30:05Z": time.Date(2026, 3, 1, 9, 30, 5, 0, time.UTC),
	} {
		if got, err := ParseTime(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "-2h", "-1d", "25:00", "2026-13-01"} {
		if got, err := ParseTime(text, now); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
