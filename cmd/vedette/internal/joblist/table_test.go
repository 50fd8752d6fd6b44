package joblist

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// TestTableWidths checks that no line is wider than the terminal, and that no name sends a control
// sequence to it.
func TestTableWidths(t *testing.T) {
	hostile := "\x1b[31mred\x07\r\n\t\u202e" + strings.Repeat("名前", 60)
	begun := time.Now().Add(-3 * time.Hour)
	jobs := []history.Job{
		{Namespace: "ml", Name: "a", State: "Running", Tries: 1, GPUs: 8, Queue: "q", Submitter: "ann", WaitedSeconds: 3, RanSeconds: 8000, Node: "n", Life: []job.Span{{State: "Running", From: begun, To: begun.Add(time.Hour)}}},
		{Namespace: hostile, Name: hostile, State: "", Raw: hostile, Reason: hostile, Message: hostile, Queue: hostile, Submitter: hostile, Tries: 1 << 31, GPUs: 1_000_000, WaitedSeconds: 1e9, RanSeconds: 1e9, Ended: begun},
	}
	for _, width := range []int{60, 80, 100, 120, 200, 400} {
		for _, style := range []lifestrip.Style{{}, {ASCII: true}, {Colors: lifestrip.True}} {
			table := &Table{Style: style, Icons: true, Namespaces: true, Width: width}
			table.Fit(jobs[:1])
			for _, rows := range [][]history.Job{jobs[:1], jobs} {
				table.Fit(rows)
				lines := []string{table.Heads()}
				for i := range rows {
					lines = append(lines, table.Row(&rows[i]))
				}
				for _, line := range lines {
					plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(line, "")
					if n := CellWidth(plain); n > width && width >= 80 {
						t.Errorf("width %d: got %d cells: %q", width, n, plain)
					}
					if strings.ContainsAny(plain, "\x1b\x07\r\n\t\u202e") {
						t.Errorf("got control characters in %q", plain)
					}
				}
			}
		}
	}
}
