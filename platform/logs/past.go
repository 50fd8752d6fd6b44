package logs

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// past reads a log that a recorder has kept.
type past struct {
	o     *Options
	run   *run
	after time.Time // omits lines that were read from the node
}

// read implements source. A note before the lines describes them.
//
// Errors: those of the database; the cause of ctx.
func (s *past) read(ctx context.Context, out *batch) error {
	log := s.run.kept
	skip := 0
	if s.o.Tail != nil {
		skip = max(log.Lines-*s.o.Tail, 0)
	}
	if err := out.add(ctx, s.run.note(latest(log.Started, log.FirstLine), s.describe(log.Lines-skip))); err != nil {
		return err
	}
	for l, err := range s.o.Kept.Lines(ctx, *log) {
		if err != nil {
			return fmt.Errorf("read the kept log of container %s of pod %s: %w", s.run.container, s.run.pod, err)
		}
		if skip > 0 {
			skip--
			continue
		}
		if l.Time.Before(s.o.Since) || !s.after.IsZero() && !l.Time.After(s.after) {
			continue
		}
		if err := out.add(ctx, s.run.line(l.Time, l.Text)); err != nil {
			return err
		}
	}
	return nil
}

// describe describes the kept and the missing lines.
func (s *past) describe(lines int) string {
	log := s.run.kept
	text := fmt.Sprintf("kept log of container %s of pod %s", log.Container, log.Pod)
	switch {
	case !log.Removed.IsZero():
		return text + fmt.Sprintf(": its lines were removed on %s%s", log.Removed.Local().Format("Jan 2 15:04:05"), because(log.Lost))
	case log.Lines == 0:
		text += ": no line was kept"
	case lines == 1:
		text += ", last line"
	case lines < log.Lines || log.LostLines > 0 || log.Lost != "":
		text += fmt.Sprintf(", last %s lines", thousands(lines))
	default:
		text += fmt.Sprintf(", %s lines", thousands(lines))
	}
	if !log.Fetched.IsZero() {
		text += ", fetched " + log.Fetched.Local().Format("15:04:05")
	}
	if log.LostLines > 0 {
		text += fmt.Sprintf("; %s earlier lines were not kept", thousands(log.LostLines))
	}
	return text + because(log.Lost)
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + short(why)
}

// thousands formats a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
