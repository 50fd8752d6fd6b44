package joblog_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// naive is the expected content of one log.
type naive struct {
	lines   []joblog.Line
	floor   time.Time
	atFloor int // number of removed lines of that time
	lost    int
}

// put adds lines in the order of their times.
func (m *naive) put(lines []joblog.Line, limits joblog.Limits) {
	below, skip := 0, m.atFloor
	groups := map[int64][]joblog.Line{}
	for _, l := range m.lines {
		groups[l.Time.UnixMicro()] = append(groups[l.Time.UnixMicro()], l)
	}
	added := map[int64][]joblog.Line{}
	for _, l := range lines {
		switch {
		case l.Time.Before(m.floor):
			below++
		case l.Time.Equal(m.floor) && skip > 0:
			skip--
			below++
		default:
			added[l.Time.UnixMicro()] = append(added[l.Time.UnixMicro()], l)
		}
	}
	for at, g := range added {
		if len(g) > len(groups[at]) || len(g) == len(groups[at]) && words(g) < words(groups[at]) {
			groups[at] = g
		}
	}
	m.lines = nil
	times := []int64{}
	for at := range groups {
		times = append(times, at)
	}
	slices.Sort(times)
	for _, at := range times {
		m.lines = append(m.lines, groups[at]...)
	}
	m.lost = max(m.lost, below)
	for len(m.lines) > limits.Lines || int64(len(strings.ReplaceAll(words(m.lines), "|", ""))) > limits.PerLog {
		if first := m.lines[0].Time; !first.Equal(m.floor) {
			m.floor, m.atFloor = first, 0
		}
		m.atFloor++
		m.lost++
		m.lines = m.lines[1:]
	}
}

// TestAgainstModel: parts of logs are put in any order and repeatedly, with several lines
// in one microsecond. After each Put the store equals the naive model.
func TestAgainstModel(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		pods := 0
		modeltest.Check(t, func(rt *rapid.T) {
			limits := joblog.Limits{Lines: rapid.IntRange(1, 30).Draw(rt, "lines"), PerLog: 32 << 10, PerJob: 1 << 40, Total: 1 << 40}
			s := &store{Store: joblog.NewAt(d.DB, limits, nil, func() time.Time { return start }, rapid.IntRange(1, 200).Draw(rt, "bytes"), rapid.IntRange(1, 8).Draw(rt, "chunk")), d: d}
			var log []joblog.Line // as the container wrote it
			at := start
			for i := range rapid.IntRange(0, 60).Draw(rt, "length") {
				at = at.Add(time.Duration(rapid.IntRange(0, 2).Draw(rt, "step")) * time.Microsecond)
				text := fmt.Sprint("line ", i)
				if rapid.IntRange(0, 19).Draw(rt, "long") == 0 {
					text += strings.Repeat("x", 9000)
				}
				log = append(log, joblog.Line{Time: at, Text: text})
			}
			pods++
			pod := fmt.Sprint("pod-", pods)
			m := &naive{}
			for range rapid.IntRange(1, 6).Draw(rt, "puts") {
				from := rapid.IntRange(0, len(log)).Draw(rt, "from")
				part := log[from:rapid.IntRange(from, len(log)).Draw(rt, "to")]
				m.put(part, limits)
				s.put(t, of(pod, 0), part)
				l, lines := s.only(t, pod)
				if !same(lines, m.lines) || l.Lines != len(m.lines) || l.LostLines != m.lost {
					rt.Fatalf("%d lost, %d lines: %.500s\nwant %d lost, %d lines: %.500s", l.LostLines, l.Lines, words(lines), m.lost, len(m.lines), words(m.lines))
				}
			}
		})
	})
}

// TestMergeLaws: neither the order nor the number of merges matters, and no time loses a
// line.
func TestMergeLaws(t *testing.T) {
	list := rapid.Custom(func(t *rapid.T) (all []joblog.Line) {
		at := start
		for range rapid.IntRange(0, 8).Draw(t, "length") {
			at = at.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "step")) * time.Microsecond)
			all = append(all, joblog.Line{Time: at, Text: rapid.SampledFrom([]string{"a", "b", "[redacted]", ""}).Draw(t, "text")})
		}
		return all
	})
	testinput.Check(t, func(t *rapid.T) {
		a, b, c := list.Draw(t, "a"), list.Draw(t, "b"), list.Draw(t, "c")
		ab := joblog.Merge(a, b)
		switch {
		case !same(ab, joblog.Merge(b, a)):
			t.Fatal("the order matters")
		case !same(joblog.Merge(ab, c), joblog.Merge(a, joblog.Merge(b, c))):
			t.Fatal("the grouping matters")
		case !same(ab, joblog.Merge(ab, b)), !same(a, joblog.Merge(a, a)):
			t.Fatal("a repeat matters")
		}
		for _, l := range slices.Concat(a, b) {
			count := func(all []joblog.Line) (n int) {
				for _, other := range all {
					if other.Time.Equal(l.Time) {
						n++
					}
				}
				return n
			}
			if count(ab) < count(a) || count(ab) < count(b) {
				t.Fatalf("a line of %v is lost", l.Time)
			}
		}
	})
}

// TestChunks: a chunk has the lines that were packed.
func TestChunks(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		var lines []joblog.Line
		for _, text := range rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "texts") {
			lines = append(lines, joblog.Line{Time: time.UnixMicro(rapid.Int64Range(1, 1<<60).Draw(t, "at")), Text: strings.TrimRight(strings.ReplaceAll(string(text), "\n", " "), "\r")})
		}
		slices.SortStableFunc(lines, func(a, b joblog.Line) int { return a.Time.Compare(b.Time) })
		if got, err := joblog.Unpack(joblog.Pack(lines)); err != nil || !same(got, lines) {
			t.Fatalf("got %q and error %v, want %q", got, err, lines)
		}
	})
}

// TestDamagedChunks: large numbers in a damaged chunk do not allocate memory.
func TestDamagedChunks(t *testing.T) {
	for _, raw := range [][]byte{
		{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 0, 'x'}, binary.AppendUvarint(nil, 1<<60), append(binary.AppendUvarint([]byte{1, 2}, 1<<60), 'x'), make([]byte, 4<<20),
	} {
		if lines, err := joblog.Unpack(joblog.Compress(raw)); err == nil {
			t.Errorf("%.20x has %d lines, want an error", raw, len(lines))
		}
	}
}

// FuzzUnpack: damaged chunks are errors.
func FuzzUnpack(f *testing.F) {
	f.Add(joblog.Pack(numbered(0, 9)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := joblog.Unpack(data)
		if err != nil {
			return
		}
		if back, err := joblog.Unpack(joblog.Pack(lines)); err != nil || len(back) != len(lines) {
			t.Errorf("%d lines of %d, %v", len(back), len(lines), err)
		}
	})
}
