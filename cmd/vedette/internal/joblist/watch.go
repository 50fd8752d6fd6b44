package joblist

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/history"
)

// redrawEvery bounds how often a terminal is redrawn, and tickEvery how old the durations on it
// get.
const (
	redrawEvery = 500 * time.Millisecond
	tickEvery   = 5 * time.Second
)

// Watch calls show with the list now, and again after each change, at most twice a second,
// until ctx ends.
func Watch(ctx context.Context, src Source, q Query, show func(List) error, failed func(error)) error {
	changes := src.changed(ctx, q)
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		began := time.Now()
		list, err := src.List(ctx, q, began)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			failed(err)
		default:
			if err := show(list); err != nil {
				return err
			}
		}
		rest := time.NewTimer(redrawEvery - min(time.Since(began), redrawEvery))
		select {
		case <-ctx.Done():
			rest.Stop()
			return nil
		case <-rest.C:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
		case <-tick.C:
		}
	}
}

// Screen draws lines in place on a terminal, and writes only those that have changed.
type Screen struct {
	Con   *console.Console
	shown []string
	width int
}

// Draw replaces the lines. They must be escaped, and fit the width of the terminal.
func (s *Screen) Draw(lines []string, width int) error {
	if width != s.width && s.shown != nil { // lines may have been wrapped
		s.shown = nil
		if err := s.Con.Styled("\x1b[H\x1b[2J"); err != nil {
			return err
		}
	}
	s.width = width
	var b strings.Builder
	if len(s.shown) > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", len(s.shown))
	}
	for i, line := range lines {
		if i < len(s.shown) && s.shown[i] == line {
			b.WriteString("\r\n")
			continue
		}
		b.WriteString("\r" + line + "\x1b[K\r\n")
	}
	if len(s.shown) > len(lines) {
		b.WriteString("\x1b[J")
	}
	s.shown = lines
	return s.Con.Styled(b.String())
}

// jobChange is what of a job makes a line of `jobs --watch`.
func jobChange(j *history.Job) string {
	return strings.Join([]string{State(j), Detail(j), fmt.Sprint(j.Tries, j.GPUs), j.Queue, j.Submitter}, "\x00")
}

// ChangesOf returns the jobs that are new, that have changed, or that are gone since the last
// call, and remembers the jobs.
func ChangesOf(known map[string]history.Job, jobs []history.Job) (changed []history.Job) {
	now := map[string]bool{}
	for i := len(jobs) - 1; i >= 0; i-- { // the newest last
		j := jobs[i]
		now[j.ClusterUID+j.UID] = true
		before, there := known[j.ClusterUID+j.UID]
		if known[j.ClusterUID+j.UID] = j; !there || jobChange(&before) != jobChange(&j) {
			changed = append(changed, j)
		}
	}
	for uid, j := range known {
		if !now[uid] {
			delete(known, uid)
			j.Deleted = time.Now()
			changed = append(changed, j)
		}
	}
	return changed
}

// ReportOnce returns a function that prints an error once for as long as it lasts.
func ReportOnce(con *console.Console) func(error) {
	said := ""
	return func(err error) {
		if text := explain.Line(err); text != said && !errors.Is(err, context.Canceled) {
			con.Say("%s  %s", units.Clock(time.Now()), printable.Line(text))
			said = text
		}
	}
}
