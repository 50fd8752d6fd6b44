package joblog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// training returns the log of a training job.
func training(b *testing.B, n int) (lines []joblog.Line) {
	b.Helper()
	r := testinput.Rand(b)
	at := start
	for i := range n {
		at = at.Add(time.Duration(r.IntN(2_000_000)) * time.Microsecond)
		text := fmt.Sprintf("[2026-11-22 %s] [rank %d] INFO train.py:214 step %d | loss %.4f | grad norm %.3f | lr %.2e | tokens/s %d | mem %.1f GiB",
			at.Format("15:04:05,000"), r.IntN(8), i, 2+r.Float64(), r.Float64(), 3e-4, 50_000+r.IntN(4000), 71+r.Float64())
		if i%50 == 0 {
			text = fmt.Sprintf("W1122 %s NCCL WARN [%d] Call to connect returned Connection timed out, retrying (token=%x)", at.Format("15:04:05"), i, r.Uint64())
		}
		lines = append(lines, joblog.Line{Time: at, Text: text})
	}
	return lines
}

// BenchmarkPut stores logs of 500 lines, and reports the bytes per line.
func BenchmarkPut(b *testing.B) {
	d := open(b, "sqlite:"+b.TempDir()+"/history.db")
	s := joblog.New(d.DB, joblog.Limits{Total: 1 << 40, PerJob: 1 << 40}, nil)
	before, err := d.Size(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	lines := training(b, 500)
	text := int64(0)
	for _, l := range lines {
		text += int64(len(l.Text))
	}
	b.SetBytes(text)
	n := 0
	for b.Loop() {
		l := ended(of(fmt.Sprint(n), 0), time.Hour, 0)
		l.JobUID = fmt.Sprint("job-", n/8)
		if err := s.Put(b.Context(), l, lines); err != nil {
			b.Fatal(err)
		}
		n++
	}
	after, err := d.Size(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(after.Used-before.Used)/float64(n)/500, "stored-B/line")
	b.ReportMetric(float64(text)/500, "text-B/line")
	b.ReportMetric(float64(after.Logs)/float64(after.Used-before.Used), "estimate/real")
}

// BenchmarkTail appends 20 lines to a log that has 500.
func BenchmarkTail(b *testing.B) {
	d := open(b, "sqlite:"+b.TempDir()+"/history.db")
	s := joblog.New(d.DB, joblog.Limits{Lines: 500}, nil)
	lines := training(b, 10_000)
	n := 0
	for b.Loop() {
		from := n % 490 * 20
		l := of(fmt.Sprint(n/490), 0)
		if err := s.Put(b.Context(), l, lines[from:from+20]); err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// BenchmarkRedact replaces the secrets of a training log.
func BenchmarkRedact(b *testing.B) {
	r := redactor(b)
	lines := training(b, 10_000)
	size := int64(0)
	for _, l := range lines {
		size += int64(len(l.Text))
	}
	b.SetBytes(size)
	for b.Loop() {
		r.Redact(lines)
	}
}
