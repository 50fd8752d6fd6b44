package joblog_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// noise returns lines that do not compress, one per second. Equal seeds have equal lines.
func noise(seed uint64, n int) (lines []joblog.Line) {
	for i := range n {
		var b strings.Builder
		for part := range 15 {
			fmt.Fprintf(&b, "%x", sha256.Sum256(fmt.Append(nil, seed, i, part)))
		}
		lines = append(lines, joblog.Line{Time: start.Add(time.Duration(i) * time.Second), Text: b.String()})
	}
	return lines
}

// TestCheckLimits: Check and Put refuse invalid limits.
func TestCheckLimits(t *testing.T) {
	s, _ := newStore(open(t, "sqlite:"+t.TempDir()+"/history.db"), joblog.Limits{Lines: -1})
	if err := s.Put(t.Context(), of("a", 0), nil); err == nil {
		t.Error("put with negative limits: got no error, want one")
	}
	for _, l := range []joblog.Limits{{Lines: 1e7}, {PerLog: 100}, {PerLog: 1 << 40}, {PerJob: -1}, {Total: -1}} {
		if err := l.Check(); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
	if err := (joblog.Limits{}).Check(); err != nil {
		t.Error(err)
	}
}

// written is a log of the test of limits.
type written struct {
	lines int
	ended bool
	kept  int // lines that were kept after the previous step
}

// TestLimitOfJobs: the logs of a job never exceed their limit. The oldest ended logs lose
// text first, each records it, and no more is removed than necessary. The same holds for
// all jobs.
func TestLimitOfJobs(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		modeltest.Check(t, func(rt *rapid.T) {
			clear(t, d)
			const most = 60_000
			limits := joblog.Limits{PerJob: most}
			ofAll := rapid.Bool().Draw(rt, "all")
			if ofAll {
				limits = joblog.Limits{Total: most}
			}
			now := start
			s := &store{Store: joblog.NewAt(d.DB, limits, nil, func() time.Time { return now }, 8<<10, 4096), d: d}
			var all []*written
			for i := range rapid.IntRange(1, 12).Draw(rt, "logs") {
				now = now.Add(2 * time.Minute)
				w := &written{lines: rapid.IntRange(0, 80).Draw(rt, "lines"), ended: rapid.IntRange(0, 3).Draw(rt, "ended") > 0}
				all = append(all, w)
				l := of(fmt.Sprint("pod-", i), 0)
				l.Started = now
				if ofAll {
					l.JobUID = fmt.Sprint("job-", i)
				}
				if w.ended {
					l = ended(l, time.Hour, 1)
				}
				w.kept = w.lines
				s.put(t, l, noise(uint64(i), w.lines))
				s.checkLimit(rt, all, most)
			}
		})
	})
}

// checkLimit checks the logs of all pods, in the order in which they were written.
func (s *store) checkLimit(t *rapid.T, all []*written, most int64) {
	logs, err := s.Of(t.Context(), joblog.Selection{UIDs: []string{"uid-rs"}})
	if err != nil || len(logs) != len(all) {
		t.Fatalf("%d logs of %d, %v", len(logs), len(all), err)
	}
	var sum int64
	ended, removed, lostEnded, lostOpen := false, false, false, false
	for i, l := range logs {
		w := all[i]
		sum += l.Stored
		lost := l.Lines < w.kept
		removed = removed || lost
		switch {
		case l.Lines+l.LostLines != w.lines:
			t.Fatalf("log %d has %d lines and lost %d of %d", i, l.Lines, l.LostLines, w.lines)
		case lost && !strings.Contains(l.Lost, "exceed 60000 bytes"), lost && l.Removed.IsZero() != (l.Lines > 0):
			t.Fatalf("log %d: got %+v, want the reason and the time of the removal", i, l)
		case lost && w.ended && ended:
			t.Fatalf("log %d lost lines, and an earlier one did not", i)
		}
		lostEnded, lostOpen = lostEnded || lost && w.ended, lostOpen || lost && !w.ended
		ended = ended || w.ended && l.Lines > 0
		w.kept = l.Lines
	}
	if sum > most || removed && sum < most-most/50-18_000 || lostOpen && ended {
		t.Fatalf("%d bytes are left", sum)
	}
}

// clear removes all logs.
func clear(t *testing.T, d *database) {
	t.Helper()
	if _, err := joblog.Prune(t.Context(), d.DB, start.Add(1000*time.Hour), nil); err != nil {
		t.Fatal(err)
	}
}

// TestPutAfterRemoval: text that a limit removed is not stored again with the same lines.
// New lines of the container are stored.
func TestPutAfterRemoval(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, now := newStore(d, joblog.Limits{})
		lines := noise(1, 50)
		s.put(t, of("a", 0), lines[:40])
		*now = start.Add(time.Hour)
		if err := joblog.Shrink(t.Context(), d.DB, 100, *now); err != nil {
			t.Fatal(err)
		}
		want := "removed on 2026-11-22 09:00 UTC because all kept logs exceed 100 bytes"
		for range 2 {
			l, got := s.only(t, "a")
			if len(got) != 0 || l.LostLines != 40 || l.Lost != want || !l.Removed.Equal(*now) || !l.LastLine.Equal(lines[39].Time) || l.Stored != 0 {
				t.Errorf("got %d lines of %+v, want none, and 40 lost", len(got), l)
			}
			s.put(t, of("a", 0), lines[10:40])
		}
		s.put(t, ended(of("a", 0), time.Hour, 0), lines[20:])
		if l, got := s.only(t, "a"); !same(got, lines[40:]) || l.LostLines != 40 || l.Lost != want || !l.Removed.IsZero() {
			t.Errorf("got %d lines of %+v, want the last ones, and 40 lost", len(got), l)
		}
	})
}

// TestShortensDamaged: an unreadable chunk does not prevent the application of a limit.
func TestShortensDamaged(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, now := newStore(d, joblog.Limits{})
		s.put(t, of("a", 0), noise(1, 50))
		if _, err := d.SQL().ExecContext(t.Context(), "UPDATE kept_log_chunks SET seq = 1, data = 'x'"); err != nil {
			t.Fatal(err)
		}
		l, _ := s.Of(t.Context(), joblog.Selection{UIDs: []string{"uid-a"}})
		for _, err := range s.Lines(t.Context(), l[0]) {
			if err == nil || !strings.Contains(err.Error(), "a chunk of a log is damaged") {
				t.Errorf("got error %v, want one with %q", err, "a chunk of a log is damaged")
			}
		}
		if err := s.Put(t.Context(), of("a", 0), noise(1, 60)); err == nil {
			t.Error("put into a damaged log: got no error, want one")
		}
		if err := joblog.Shrink(t.Context(), d.DB, 100, *now); err != nil {
			t.Fatal(err)
		}
		if l, got := s.only(t, "a"); len(got) != 0 || l.LostLines != 50 {
			t.Errorf("got %d lines of %+v, want none, and 50 lost", len(got), l)
		}
	})
}
