package rule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

func zone(t testing.TB, name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func TestQuietHours(t *testing.T) {
	const hour = time.Hour
	berlin, shanghai := zone(t, "Europe/Berlin"), zone(t, "Asia/Shanghai")
	night := Quiet{From: 22 * hour, To: 8 * hour, Location: shanghai}
	for _, c := range []struct {
		name    string
		quiet   Quiet
		at, end string // "" means not quiet
	}{
		{"before", night, "2026-11-22T21:59:59+08:00", ""},
		{"from the beginning", night, "2026-11-22T22:00:00+08:00", "2026-11-23T08:00:00+08:00"},
		{"after midnight", night, "2026-11-23T07:59:59+08:00", "2026-11-23T08:00:00+08:00"},
		{"the end is not quiet", night, "2026-11-23T08:00:00+08:00", ""},
		{"in another zone", night, "2026-11-22T14:00:00Z", "2026-11-23T00:00:00Z"},
		{"within a day", Quiet{From: 12 * hour, To: 13 * hour}, "2026-11-22T12:30:00Z", "2026-11-22T13:00:00Z"},
		{"a day that has none", Quiet{From: 22 * hour, To: 8 * hour, Days: []time.Weekday{time.Friday}}, "2026-11-22T23:00:00Z", ""},
		{"days are those of the beginning", Quiet{From: 22 * hour, To: 8 * hour, Days: []time.Weekday{time.Sunday}}, "2026-11-23T07:00:00Z", "2026-11-23T08:00:00Z"},
		{"the night before the day", Quiet{From: 22 * hour, To: 8 * hour, Days: []time.Weekday{time.Monday}}, "2026-11-23T07:00:00Z", ""},
		{"clocks go back", Quiet{From: 22 * hour, To: 8 * hour, Location: berlin}, "2026-10-25T02:30:00+01:00", "2026-10-25T08:00:00+01:00"},
		{"clocks go forward", Quiet{From: 1 * hour, To: 4 * hour, Location: berlin}, "2026-03-29T01:30:00+01:00", "2026-03-29T04:00:00+02:00"},
		{"a whole day", Quiet{From: 0, To: 24 * hour, Days: []time.Weekday{time.Sunday}}, "2026-11-22T13:00:00Z", "2026-11-23T00:00:00Z"},
		{"none", Quiet{From: 8 * hour, To: 8 * hour}, "2026-11-22T08:00:00Z", ""},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		end, quiet := c.quiet.Until(at)
		switch want, err := time.Parse(time.RFC3339, c.end); {
		case quiet != (c.end != ""):
			t.Errorf("%s: got quiet %v until %v, want until %q", c.name, quiet, end, c.end)
		case quiet && (err != nil || !end.Equal(want)):
			t.Errorf("%s: until %v, want %v", c.name, end, c.end)
		}
	}
	if _, quiet := (*Quiet)(nil).Until(time.Now()); quiet {
		t.Error("no quiet hours are quiet")
	}
}

// TestDigestWindows: windows follow each other without overlap and have at most the
// configured length, in every zone and over changes of daylight saving time.
func TestDigestWindows(t *testing.T) {
	zones := []*time.Location{time.UTC, zone(t, "Asia/Shanghai"), zone(t, "Europe/Berlin"), zone(t, "Australia/Lord_Howe"), zone(t, "America/St_Johns")}
	testinput.Check(t, func(t *rapid.T) {
		d := Digest{
			Every: time.Duration(rapid.IntRange(1, 24*60).Draw(t, "every")) * time.Minute, At: time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "at")) * time.Minute,
			Location: rapid.SampledFrom(zones).Draw(t, "zone"),
		}
		at := time.Unix(rapid.Int64Range(1_767_225_600, 1_798_761_600).Draw(t, "time"), 0) // in 2026
		from, to := d.Window(at)
		if at.Before(from) || !at.Before(to) || to.Sub(from) > d.Every+2*time.Hour {
			t.Fatalf("%v is not in %v to %v", at, from, to)
		}
		if from2, to2 := d.Window(from); !from2.Equal(from) || !to2.Equal(to) {
			t.Fatalf("the window %v to %v begins in %v to %v", from, to, from2, to2)
		}
		if before, until := d.Window(from.Add(-time.Second)); !until.Equal(from) {
			t.Fatalf("the window before %v is %v to %v", from, before, until)
		}
		if after, _ := d.Window(to); !after.Equal(to) {
			t.Fatalf("the window after %v begins at %v", to, after)
		}
	})
	daily := Digest{Every: 24 * time.Hour, At: 9 * time.Hour, Location: zone(t, "Asia/Shanghai")}
	if _, to := daily.Window(time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)); !to.Equal(time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)) {
		t.Errorf("a daily digest at nine is sent at %v", to)
	}
}
