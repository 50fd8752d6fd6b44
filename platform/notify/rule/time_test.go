package rule

import (
	"slices"
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

// TestDigestClockChange: a digest is sent once at each time of day, also on the days on which
// clocks change.
func TestDigestClockChange(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		zone      string
		every, at time.Duration
		day       string   // the change is on this day
		ends      []string // of the windows that end on it
	}{
		{"Europe/Berlin", 24 * hour, 9 * hour, "2026-10-25", []string{"09:00+01:00"}},
		{"Europe/Berlin", 24 * hour, 9 * hour, "2026-03-29", []string{"09:00+02:00"}},
		{"Europe/Berlin", 24 * hour, 0, "2026-10-25", []string{"00:00+02:00"}},
		{"Europe/Berlin", 24 * hour, 2*hour + 30*time.Minute, "2026-10-25", []string{"02:30+01:00"}}, // this time comes twice
		{"Europe/Berlin", 24 * hour, 2*hour + 30*time.Minute, "2026-03-29", []string{"03:30+02:00"}}, // this time does not exist
		{"Europe/Berlin", 6 * hour, 0, "2026-10-25", []string{"00:00+02:00", "06:00+01:00", "12:00+01:00", "18:00+01:00"}},
		{"Europe/Berlin", 6 * hour, 0, "2026-03-29", []string{"00:00+01:00", "06:00+02:00", "12:00+02:00", "18:00+02:00"}},
		{"America/St_Johns", 24 * hour, 9 * hour, "2026-11-01", []string{"09:00-03:30"}},
		{"America/St_Johns", 12 * hour, 9 * hour, "2026-03-08", []string{"09:00-02:30", "21:00-02:30"}},
		{"Australia/Lord_Howe", 24 * hour, 9 * hour, "2026-04-05", []string{"09:00+10:30"}},
		{"Australia/Lord_Howe", 8 * hour, 9 * hour, "2026-10-04", []string{"01:00+10:30", "09:00+11:00", "17:00+11:00"}},
		{"Asia/Kolkata", 24 * hour, 9 * hour, "2026-10-25", []string{"09:00+05:30"}},
		{"America/Sao_Paulo", 24 * hour, 0, "2018-11-04", []string{"01:00-02:00"}}, // midnight does not exist
	} {
		location := zone(t, c.zone)
		d := Digest{Every: c.every, At: c.at, Location: location}
		day, err := time.ParseInLocation(time.DateOnly, c.day, location)
		if err != nil {
			t.Fatal(err)
		}
		var ends []string
		var last time.Time
		for at := day.Add(-3 * time.Hour); at.Before(day.Add(40 * time.Hour)); at = at.Add(5 * time.Minute) {
			if _, to := d.Window(at); !to.Equal(last) {
				last = to
				if local := to.In(location); local.Format(time.DateOnly) == c.day {
					ends = append(ends, local.Format("15:04-07:00"))
				}
			}
		}
		if !slices.Equal(ends, c.ends) {
			t.Errorf("%s, every %v at %v on %s: windows end at %q, want %q", c.zone, c.every, c.at, c.day, ends, c.ends)
		}
	}
	hourly := Digest{Every: hour, Location: zone(t, "Europe/Berlin")}
	for at := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 10, 25, 4, 0, 0, 0, time.UTC)); at = at.Add(hour) {
		if from, to := hourly.Window(at); !from.Equal(at) || to.Sub(from) != hour {
			t.Errorf("the hourly window at %v is %v to %v", at, from, to)
		}
	}
}
