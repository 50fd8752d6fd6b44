package logs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

var origin = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

// drawTimes draws the times of lines: equal, close and distant ones.
func drawTimes(t *rapid.T, n int, back bool) []time.Time {
	var all []time.Time
	at := origin
	for range n {
		step := rapid.SampledFrom([]time.Duration{0, 0, 1, 300 * time.Millisecond, 1500 * time.Millisecond}).Draw(t, "step")
		if back && rapid.IntRange(0, 9).Draw(t, "back") == 0 {
			step = -2 * time.Second
		}
		at = at.Add(step)
		all = append(all, at)
	}
	return all
}

// TestResumeAgainstModel reads a log in answers that end at random positions. Their new
// lines are the log, in order, if its node still has it; otherwise there is a gap in the
// place of the lost lines. A line with the same time and text as a lost one is
// indistinguishable from it.
func TestResumeAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		back := rapid.Bool().Draw(t, "a clock that goes back")
		rotations := rapid.Bool().Draw(t, "rotations")
		var log []scanned
		for i, at := range drawTimes(t, rapid.IntRange(1, 40).Draw(t, "lines"), back) {
			text := "same"
			if rotations || rapid.Bool().Draw(t, "distinct") {
				text = fmt.Sprint(i)
			}
			log = append(log, scanned{at: at, text: text, cut: i}) // cut distinguishes the lines
		}
		r := newResume()
		var got []scanned
		gaps, rotated, written := 0, 0, 0
		for range rapid.IntRange(0, 12).Draw(t, "answers") {
			written = min(written+rapid.IntRange(0, 10).Draw(t, "written"), len(log))
			if rotations && rapid.IntRange(0, 4).Draw(t, "rotate") == 0 {
				rotated = rapid.IntRange(rotated, written).Draw(t, "rotated")
			}
			to := rapid.IntRange(rotated, written).Draw(t, "cut")
			gaps += answer(r, log[rotated:to], &got)
		}
		gaps += answer(r, log[rotated:], &got)
		lost := 0
		for i := 1; i < len(got); i++ {
			if got[i].cut <= got[i-1].cut && (!back || !rotations) {
				t.Fatalf("%v comes after %v", got[i], got[i-1])
			}
			lost += got[i].cut - got[i-1].cut - 1
		}
		switch {
		case back:
		case !rotations && (gaps > 0 || !slices.Equal(got, log)):
			t.Fatalf("%d gaps, got %v of %v", gaps, got, log)
		case lost > 0 && gaps == 0:
			t.Fatalf("%d lines are lost, and %d gaps are reported: %v of %v", lost, gaps, got, log)
		}
	})
}

// answer reads one answer of a node.
func answer(r *resume, log []scanned, got *[]scanned) (gaps int) {
	r.answer()
	for _, l := range log {
		if l.at.Before(r.since()) {
			continue
		}
		fresh, gap := r.fresh(l)
		if gap {
			gaps++
		}
		if fresh {
			r.took(l)
			*got = append(*got, l)
		}
	}
	return gaps
}

// listed is a source with fixed lines.
type listed []Line

func (s listed) read(ctx context.Context, out *batch) error {
	for _, l := range s {
		if err := out.add(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// TestMergeAgainstModel merges logs. The model sorts all lines by times that never
// decrease within a log.
func TestMergeAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		type one struct {
			Line
			at           time.Time
			source, line int
		}
		var sources []listed
		var want []one
		for s := range rapid.IntRange(0, 6).Draw(t, "logs") {
			var lines listed
			var last time.Time
			for i, at := range drawTimes(t, rapid.IntRange(0, 600).Draw(t, "lines"), true) {
				l := Line{Pod: fmt.Sprint(s), Time: at, Text: fmt.Sprint(i)}
				last = latest(last, at)
				lines = append(lines, l)
				want = append(want, one{l, last, s, i})
			}
			sources = append(sources, lines)
		}
		slices.SortStableFunc(want, func(a, b one) int { return a.at.Compare(b.at) })
		var got []Line
		stop := rapid.IntRange(0, 2000).Draw(t, "enough")
		err := readTogether(context.Background(), sources, func(l Line) bool {
			got = append(got, l)
			return len(got) <= stop
		})
		if (err != nil) != (len(want) > stop) {
			t.Fatalf("%v after %d of %d lines", err, len(got), len(want))
		}
		for i, l := range got {
			if w := want[i].Line; l != w && !(l.Time.Equal(w.Time) && want[i].at.Equal(l.Time)) && l.Pod == w.Pod {
				t.Fatalf("line %d is %v, want %v", i, l, w)
			}
		}
		seen := map[string]int{}
		for _, l := range got { // each log is complete and in its order
			if l.Text != fmt.Sprint(seen[l.Pod]) {
				t.Fatalf("line %s of log %s comes after %d lines", l.Text, l.Pod, seen[l.Pod])
			}
			seen[l.Pod]++
		}
		at := map[string]time.Time{}
		var last time.Time
		for _, l := range got {
			at[l.Pod] = latest(at[l.Pod], l.Time)
			if at[l.Pod].Before(last) {
				t.Fatalf("%v comes after %v", at[l.Pod], last)
			}
			last = at[l.Pod]
		}
	})
}

// TestScannerAgainstModel splits text that arrives in pieces.
func TestScannerAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []scanned
		for i, at := range drawTimes(t, rapid.IntRange(0, 10).Draw(t, "lines"), false) {
			size := rapid.SampledFrom([]int{0, 1, 5, 70_000, MaxLine, MaxLine + 1, MaxLine + 100_000}).Draw(t, "size")
			line := strings.Repeat(string(rune('a'+i)), size)
			if size == 5 {
				line = rapid.SampledFrom([]string{"\x00\xff \x1b", "a b\tc", " lead", "\r\r\r\r\r"}).Draw(t, "bytes")
			}
			fmt.Fprintf(&text, "%s %s\n", at.Format("2006-01-02T15:04:05.000000000Z07:00"), line)
			want = append(want, scanned{at: at, text: line[:min(len(line), MaxLine)], cut: max(len(line)-MaxLine, 0)})
		}
		end := rapid.SampledFrom([]string{"", "unable to retrieve container logs", "2026-11-22T10:31:00.5Z half"}).Draw(t, "end")
		text.WriteString(end)
		switch {
		case strings.HasPrefix(end, "un"):
			want = append(want, scanned{text: end, partial: true})
		case end != "":
			want = append(want, scanned{at: origin.Add(500 * time.Millisecond), text: "half", partial: true})
		}
		in := io.Reader(strings.NewReader(text.String()))
		if rapid.Bool().Draw(t, "in pieces") {
			in = iotest.HalfReader(in)
		}
		s := newScanner(in)
		var got []scanned
		for {
			l, err := s.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
	})
}

func TestConnectionThatBreaksWithinALine(t *testing.T) {
	s := newScanner(io.MultiReader(strings.NewReader("2026-11-22T10:31:00Z one\n2026-11-22T10:31:01Z tw"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if l, err := s.next(); err != nil || l.text != "one" {
		t.Errorf("got %v and error %v, want line one", l, err)
	}
	if l, err := s.next(); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v and error %v, want io.ErrUnexpectedEOF", l, err)
	}
}

// TestWindowAgainstModel adds lines of several logs. Each comes out once, each log in its
// order, none later than the window, and lines that come out together are ordered by time.
func TestWindowAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		w, now := newWindow(), origin
		next, out := map[string]int{}, map[string]int{}
		arrived := map[string]time.Time{}
		release := func(all bool) {
			var last time.Time
			at := map[string]time.Time{}
			w.release(now, all, func(l Line) bool {
				if l.Text != fmt.Sprint(out[l.Pod]) {
					t.Fatalf("line %s of log %s comes after %d lines", l.Text, l.Pod, out[l.Pod])
				}
				out[l.Pod]++
				delete(arrived, l.Pod+l.Text)
				at[l.Pod] = latest(at[l.Pod], l.Time)
				if len(at) > 1 && l.Time.Equal(at[l.Pod]) && l.Time.Before(last) && w.last[runKey{podUID: l.Pod}].Equal(l.Time) {
					t.Fatalf("%v comes after %v", l.Time, last)
				}
				last = latest(last, l.Time)
				return true
			})
			for name, at := range arrived {
				if all || now.Sub(at) >= windowTime {
					t.Fatalf("line %s waits since %v", name, now.Sub(at))
				}
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, 10 * time.Millisecond, 120 * time.Millisecond, time.Second}).Draw(t, "pause"))
			pod := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "pod")
			var lines []Line
			for _, at := range drawTimes(t, rapid.IntRange(1, 4).Draw(t, "lines"), true) {
				lines = append(lines, Line{Pod: pod, PodUID: pod, Time: at, Text: fmt.Sprint(next[pod])})
				arrived[pod+fmt.Sprint(next[pod])] = now
				next[pod]++
			}
			w.add(lines, now)
			release(false)
		}
		release(true)
		for pod, n := range next {
			if out[pod] != n {
				t.Fatalf("%d of %d lines of %s", out[pod], n, pod)
			}
		}
		if _, ok := w.due(); ok || w.bytes != 0 {
			t.Fatalf("%d bytes wait, want none", w.bytes)
		}
	})
}
