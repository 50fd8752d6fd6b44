package logkeeper

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// TestReadLines: lines are returned as they were written, for all sizes of reads.
func TestReadLines(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
		var want []joblog.Line
		var text strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			at = at.Add(time.Duration(rapid.IntRange(0, 2_000_000_000).Draw(t, "later")))
			line := rapid.StringMatching(`[^\n\r]{0,40}`).Draw(t, "text")
			if rapid.IntRange(0, 20).Draw(t, "long") == 0 {
				line = strings.Repeat("y", maxLine+rapid.IntRange(-100, 100).Draw(t, "by"))
			}
			want = append(want, joblog.Line{Time: at, Text: line})
			fmt.Fprintf(&text, "%s %s\n", at.Format(time.RFC3339Nano), line)
		}
		max := rapid.IntRange(1, 25).Draw(t, "max")
		a, err := readAnswer(iotest.OneByteReader(strings.NewReader(text.String())), max, 1<<30)
		if err != nil || a.read != int64(text.Len()) || a.unstamped != 0 {
			t.Fatalf("%v, read %d of %d, %d without a time", err, a.read, text.Len(), a.unstamped)
		}
		if want = want[len(want)-min(max, len(want)):]; len(a.lines) != len(want) {
			t.Fatalf("%d lines, want %d", len(a.lines), len(want))
		}
		for i, line := range a.lines {
			if !line.Time.Equal(want[i].Time) || !strings.HasPrefix(want[i].Text, line.Text) || len(line.Text) > maxLine || len(line.Text) < min(len(want[i].Text), maxLine-40) {
				t.Errorf("line %d is %.60q, want %.60q", i, line.Text, want[i].Text)
			}
		}
	})
}

// FuzzReadLines: the limits hold for every input.
func FuzzReadLines(f *testing.F) {
	f.Add([]byte("2026-11-22T14:00:00.5Z one\nunable to retrieve container logs for x://y\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := readAnswer(bytes.NewReader(text), 3, 100)
		if err != nil || a.read != int64(len(text)) {
			t.Fatalf("read %d bytes, error %v; want %d", a.read, err, len(text))
		}
		total := 0
		for _, line := range a.lines {
			total += len(line.Text)
		}
		if len(a.lines) > 3 || len(a.lines) > 1 && total > 100 || int64(total) != a.bytes {
			t.Errorf("%d lines of %d bytes", len(a.lines), total)
		}
	})
}

// TestWithin: lines of the previous and the next run are removed.
func TestWithin(t *testing.T) {
	start := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	var lines []joblog.Line
	for _, at := range []time.Duration{-time.Second, 0, time.Second, 10 * time.Second, 10*time.Second + 900*time.Millisecond, 12 * time.Second} {
		lines = append(lines, joblog.Line{Time: start.Add(at)})
	}
	got, later := within(lines, start, start.Add(10*time.Second))
	if len(got) != 4 || !later || !got[0].Time.Equal(start) {
		t.Errorf("got %v, later lines %v; want 4 lines from the start, and later ones", got, later)
	}
	if got, later := within(lines, time.Time{}, time.Time{}); len(got) != len(lines) || later {
		t.Errorf("got %v, later lines %v; want all of the lines, and none later", got, later)
	}
}
