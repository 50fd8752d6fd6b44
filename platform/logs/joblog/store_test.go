package joblog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// TestPut: a tail arrives in parts, then the whole log, then the same log from a second
// recorder. All lines are stored once, and the row has the result of the container.
func TestPut(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, now := newStore(d, joblog.Limits{})
		l := of("a", 0)
		s.put(t, l, numbered(10, 20))
		s.put(t, l, numbered(15, 25))
		s.put(t, l, numbered(30, 35)) // the connection was lost in between
		got, lines := s.only(t, "a")
		if !same(lines, append(numbered(10, 25), numbered(30, 35)...)) || got.Lines != 20 || got.Complete || !got.Ended.IsZero() || !got.Fetched.Equal(start) {
			t.Errorf("got %+v, want 20 lines of a log that is not complete; lines:\n%s", got, words(lines))
		}
		*now = start.Add(time.Minute)
		done := ended(l, time.Minute, 137)
		done.Reason = "OOMKilled"
		s.put(t, done, numbered(12, 40))
		want := numbered(10, 40)
		got, lines = s.only(t, "a")
		if !same(lines, want) || got.Lines != 30 || got.Bytes != len(strings.ReplaceAll(words(want), "|", "")) || !got.Complete || got.ExitCode != 137 || got.Reason != "OOMKilled" {
			t.Errorf("got %+v, want 30 lines of a complete log, OOMKilled with exit code 137; lines:\n%s", got, words(lines))
		}
		if !got.FirstLine.Equal(want[0].Time) || !got.LastLine.Equal(want[29].Time) || got.Lost != "" || got.LostLines != 0 || got.Stored == 0 || got.JobName != "train" {
			t.Errorf("got %+v, want the times of the first and last line, and nothing lost", got)
		}
		*now = start.Add(time.Hour)
		again, _ := newStore(d, joblog.Limits{})
		again.put(t, done, numbered(12, 40))
		again.put(t, l, numbered(10, 20)) // late
		late, lines := s.only(t, "a")
		if !same(lines, want) || late != got {
			t.Errorf("after a late put: got %+v, want\n%+v", late, got)
		}
	})
}

// TestPutWithoutLines: a container that wrote nothing has a log, and so has a container
// whose log could not be fetched, with the reason. The reason is removed when the log is
// fetched.
func TestPutWithoutLines(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{})
		lost := ended(of("a", 0), time.Minute, 1)
		lost.Complete, lost.Lost = false, "the node did not answer"
		s.put(t, lost, nil)
		if l, lines := s.only(t, "a"); l.Lost != "the node did not answer" || len(lines) != 0 || l.ExitCode != 1 || !l.LastLine.IsZero() {
			t.Errorf("log without lines: got %+v, want the loss and exit code 1", l)
		}
		s.put(t, ended(of("a", 0), time.Minute, 1), nil)
		if l, _ := s.only(t, "a"); l.Lost != "" || !l.Complete {
			t.Errorf("complete log without lines: got %+v, want nothing lost", l)
		}
		s.put(t, lost, nil)
		if l, _ := s.only(t, "a"); l.Lost != "" || !l.Complete {
			t.Errorf("a loss after a complete log: got %+v, want nothing lost", l)
		}
	})
}

// TestJobOfLog: a recorder that does not know the job does not remove the job that another
// recorder stored.
func TestJobOfLog(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{})
		lone, owned, full := of("a", 0), of("a", 0), of("a", 0)
		lone.OwnerUID, lone.OwnerKind, lone.OwnerName, lone.JobUID, lone.JobKind, lone.JobName = "", "", "", "", "", ""
		owned.JobUID, owned.JobKind, owned.JobName = "", "", ""
		for _, put := range []struct {
			log joblog.Log
			job string
		}{{lone, "uid-a"}, {owned, "uid-rs"}, {full, "uid-job"}, {owned, "uid-job"}, {lone, "uid-job"}} {
			s.put(t, put.log, numbered(0, 5))
			if l, _ := s.only(t, "a"); l.JobUID != put.job || l.JobKind == "" && put.job == "uid-job" {
				t.Errorf("%+v, want %s", l, put.job)
			}
		}
	})
}

// TestLimits: the last lines are kept, and the log has the number of missing lines, even
// if the same lines are put again.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{Lines: 10, PerLog: 64 << 10})
		for range 2 {
			s.put(t, of("a", 0), numbered(0, 25))
			l, lines := s.only(t, "a")
			if !same(lines, numbered(15, 25)) || l.LostLines != 15 || l.Lost != "only the last 10 lines and 64 KiB are kept" {
				t.Errorf("got %+v, want the last 10 lines, 15 lost; lines:\n%s", l, words(lines))
			}
		}
		s.put(t, of("a", 0), numbered(20, 30))
		if l, lines := s.only(t, "a"); !same(lines, numbered(20, 30)) || l.LostLines != 20 {
			t.Errorf("got %+v, want lines 20 to 30, 20 lost; lines:\n%s", l, words(lines))
		}
		var long []joblog.Line
		for i := range 8 {
			long = append(long, joblog.Line{Time: start.Add(time.Duration(i)), Text: strings.Repeat(fmt.Sprint(i), 15_000)}) // within one microsecond
		}
		for range 2 {
			s.put(t, of("b", 0), long)
			l, lines := s.only(t, "b")
			if len(lines) != 4 || l.LostLines != 4 || l.Bytes != 60_000 || lines[0].Text[0] != '4' {
				t.Errorf("got %+v, want 4 lines of 60000 bytes, 4 lost", l)
			}
		}
	})
}

// TestLongLines: a line is truncated once, with a mark.
func TestLongLines(t *testing.T) {
	s, _ := newStore(open(t, "sqlite:"+t.TempDir()+"/history.db"), joblog.Limits{})
	long := strings.Repeat("é", 5_000_000) + " token=abcdef0123456789"
	for range 2 {
		s.put(t, of("a", 0), []joblog.Line{{Time: start, Text: long}, {Time: start, Text: "after"}})
		_, lines := s.only(t, "a")
		want := strings.Repeat("é", 8192) + fmt.Sprintf("… [%d more bytes]", len(long)-16384)
		if len(lines) != 2 || lines[0].Text != want {
			t.Fatalf("got %d lines, the first %.60q … %q; want 2, the first one cut", len(lines), lines[0].Text, lines[0].Text[len(lines[0].Text)-60:])
		}
	}
}

// TestHostileText: bytes that a database refuses as text are returned unchanged. Names are
// made valid.
func TestHostileText(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{})
		nasty := "a\x00b\xff\u202e'; DROP TABLE kept_logs; --"
		lines := []joblog.Line{{start, nasty}, {start, ""}, {start.Add(1e9), "\x1b[2J\r\n"}, {start.Add(-1e18), "long ago"}, {time.Time{}, "no time"}, {start.Add(1e18), "in 31 years"}}
		l := joblog.Log{
			ClusterUID: nasty, PodUID: nasty + strings.Repeat("\U0001F600", 500), Container: nasty, Restart: 1 << 40, Pod: nasty, Namespace: nasty, Node: nasty, Reason: nasty,
			OwnerUID: nasty, OwnerKind: nasty, OwnerName: nasty, JobUID: nasty, JobKind: nasty, JobName: nasty, Lost: strings.Repeat(nasty, 2000), ExitCode: -1 << 40,
		}
		for range 2 {
			s.put(t, l, lines)
		}
		all, err := s.Of(t.Context(), joblog.Selection{UIDs: []string{nasty}})
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v and error %v, want one log", all, err)
		}
		if got := words(s.lines(t, all[0])); got != "long ago|no time|"+nasty+"||\x1b[2J|in 31 years" {
			t.Errorf("got %q, want %q", got, "long ago|no time|"+nasty+"||\x1b[2J|in 31 years")
		}
		for _, wrong := range []joblog.Log{{Container: "a"}, {PodUID: "a"}} {
			if err := s.Put(t.Context(), wrong, nil); err == nil {
				t.Error("put without a key: got no error, want one")
			}
		}
	})
}

// TestRedacts: no secret is stored, even if a private key arrives in parts.
func TestRedacts(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{})
		key := strings.Split("-----BEGIN RSA PRIVATE KEY-----\n"+strings.Repeat(strings.Repeat("Kf3+", 16)+"\n", 20)+"Zz09/w==\n-----END RSA PRIVATE KEY-----\ndone and well", "\n")
		var lines []joblog.Line
		for i, text := range append([]string{"password=hunter2"}, key...) {
			lines = append(lines, joblog.Line{Time: start.Add(time.Duration(i) * time.Second), Text: text})
		}
		s.put(t, of("a", 0), lines[:8])
		s.put(t, of("a", 0), lines[8:15])
		s.put(t, of("a", 0), lines[15:])
		small := &store{Store: joblog.NewAt(d.DB, joblog.Limits{}, nil, time.Now, 1000, 4), d: d}
		for i := range lines { // one at a time, in chunks of four lines
			small.put(t, of("b", 0), lines[i:i+1])
		}
		_, got := s.only(t, "a")
		if _, slow := s.only(t, "b"); !same(got, slow) {
			t.Errorf("line by line: got %q, want %q", words(slow), words(got))
		}
		if len(got) != len(lines) || strings.Contains(words(got), "Kf3") || strings.Contains(words(got), "Zz09") || got[0].Text != "password=[redacted]" || got[len(got)-1].Text != "done and well" {
			t.Errorf("got %q, want each line, without secrets", words(got))
		}
	})
}

// TestQueries: logs by pods, owners and jobs; the last line; the tail of the failed
// container.
func TestQueries(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, _ := newStore(d, joblog.Limits{})
		s.put(t, ended(of("a", 0), 10*time.Second, 0), numbered(0, 10))
		s.put(t, ended(of("b", 0), 20*time.Second, 3), numbered(0, 5000)[4000:])
		s.put(t, ended(of("b", 1), 15*time.Second, 1), numbered(0, 3))
		s.put(t, of("c", 0), numbered(0, 20))
		other := of("d", 0)
		other.JobUID, other.OwnerUID, other.ClusterUID = "", "", "elsewhere"
		s.put(t, other, numbered(0, 90))
		count := func(want int, of joblog.Selection) {
			t.Helper()
			if all, err := s.Of(t.Context(), of); err != nil || len(all) != want {
				t.Errorf("%v: %d logs, want %d, %v", of, len(all), want, err)
			}
		}
		count(4, joblog.Selection{UIDs: []string{"uid-job", "uid-rs", "uid-a"}})
		count(4, joblog.Selection{UIDs: []string{"uid-rs"}, ClusterUID: "cluster"})
		count(0, joblog.Selection{UIDs: []string{"uid-rs"}, ClusterUID: "elsewhere"})
		count(2, joblog.Selection{UIDs: []string{"uid-b"}})
		count(1, joblog.Selection{UIDs: []string{"uid-d"}})
		count(3, joblog.Selection{UIDs: []string{"uid-job"}, Limit: 3})
		count(0, joblog.Selection{UIDs: []string{""}})
		count(0, joblog.Selection{})
		if last, err := s.LastLine(t.Context(), "uid-job"); err != nil || !last.Equal(start.Add(4999*time.Second)) {
			t.Errorf("last line: got %v and error %v, want that of second 4999", last, err)
		}
		if last, err := s.LastLine(t.Context(), "nobody"); err != nil || !last.IsZero() {
			t.Errorf("last line of an unknown job: got %v and error %v, want the zero time", last, err)
		}
		l, lines, found, err := s.Tail(t.Context(), joblog.Selection{UIDs: []string{"uid-job"}}, 3)
		if err != nil || !found || l.Pod != "b" || l.Restart != 0 || !same(lines, numbered(4997, 5000)) {
			t.Errorf("tail: got %+v, lines %v, error %v; want the last 3 lines of pod b", l, words(lines), err)
		}
		if _, _, found, err := s.Tail(t.Context(), joblog.Selection{UIDs: []string{"nobody"}}, 3); found || err != nil {
			t.Errorf("tail of an unknown job: found %v, error %v; want false", found, err)
		}
		totals, err := s.Totals(t.Context())
		if err != nil || totals.Logs != 5 || totals.Lines != 10+1000+3+20+90 || totals.Empty != 0 || totals.Stored == 0 || !totals.Oldest.Equal(start) {
			t.Errorf("got totals %+v and error %v, want 5 logs, none of them empty", totals, err)
		}
	})
}

// TestLinesEnd: a caller may stop, and the context ends a sequence.
func TestLinesEnd(t *testing.T) {
	s, _ := newStore(open(t, "sqlite:"+t.TempDir()+"/history.db"), joblog.Limits{})
	s.put(t, of("a", 0), numbered(0, 100))
	l, _ := s.only(t, "a")
	n := 0
	for _, err := range s.Lines(t.Context(), l) {
		if n++; err != nil || n == 5 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.Lines(ctx, l) {
		if err == nil {
			t.Error("lines after the context ended: got a line, want an error")
		}
		n++
	}
	if n != 6 {
		t.Errorf("got %v, want 6", n)
	}
}
