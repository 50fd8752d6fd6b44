package logkeeper

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// maxLine is the maximum number of bytes of a line that are kept. The rest of the line is
// read and dropped.
const maxLine = 64 << 10

// answer is the end of a log in the response of a node.
type answer struct {
	tail
	// read is the length of the answer in bytes.
	read int64
	// unstamped is the number of lines without a time. A node adds a time to each line of
	// a container, so lines without one are messages of the node.
	unstamped int
}

// message returns the node's message in place of a log, such as "unable to retrieve
// container logs for …", or "" if the answer is a log.
func (a *answer) message() string {
	if len(a.lines) == 1 && a.unstamped == 1 {
		return strings.TrimSpace(a.lines[0].Text)
	}
	return ""
}

// tail holds the last lines of a log: at most max of them, with at most maxBytes of text.
type tail struct {
	max      int
	maxBytes int64
	lines    []joblog.Line
	bytes    int64
	dropped  int // number of dropped lines
}

func (t *tail) add(line joblog.Line) {
	t.lines = append(t.lines, line)
	t.bytes += int64(len(line.Text))
	for len(t.lines) > 1 && (len(t.lines) > t.max || t.bytes > t.maxBytes) {
		t.bytes -= int64(len(t.lines[0].Text))
		t.lines[0] = joblog.Line{}
		t.lines = t.lines[1:]
		t.dropped++
	}
}

// take returns the lines and empties the tail.
func (t *tail) take() []joblog.Line {
	lines := t.lines
	t.lines, t.bytes = nil, 0
	return lines
}

const (
	perLine = 48      // overhead of a line
	perLog  = 1 << 10 // overhead of a log
)

// size returns the memory of lines: their texts, and Go's overhead for each.
func size(lines []joblog.Line) (n int64) {
	for i := range lines {
		n += int64(len(lines[i].Text)) + perLine
	}
	return n
}

// readLines reads a log with times and calls each for every line, until the end of the
// log. It returns the number of bytes read.
//
// Errors: those of r. A last line without a line end counts as a line.
func readLines(r io.Reader, each func(line joblog.Line, stamped bool)) (read int64, err error) {
	in := bufio.NewReaderSize(r, 16<<10)
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		read += int64(len(part))
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if room := maxLine - len(text); room > 0 {
			text = append(text, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if whole || len(text) > 0 {
			each(parseLine(string(text)))
			text = text[:0]
		}
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
}

// parseLine splits the time from a line. stamped is false if the line has no time.
func parseLine(text string) (line joblog.Line, stamped bool) {
	text = strings.TrimSuffix(text, "\r")
	stamp, rest, found := strings.Cut(text, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return joblog.Line{Text: text}, false
	}
	if !found {
		rest = ""
	}
	return joblog.Line{Time: at, Text: rest}, true
}

// readAnswer reads the answer to a request for the end of a log.
func readAnswer(r io.Reader, lines int, bytes int64) (a answer, err error) {
	a.max, a.maxBytes = lines, bytes
	a.read, err = readLines(r, func(line joblog.Line, stamped bool) {
		if !stamped {
			a.unstamped++
		}
		a.add(line)
	})
	return a, err
}

// within removes lines that do not belong to a run of a restartable container. The API has
// whole seconds, so lines of a run that follows within a second cannot be distinguished.
// It reports whether it removed lines after the end.
func within(lines []joblog.Line, started, ended time.Time) (_ []joblog.Line, later bool) {
	const second, lag = time.Second, 200 * time.Millisecond // lines get their time when the runtime reads them
	first, last := 0, len(lines)
	if !started.IsZero() {
		for first < last && !lines[first].Time.IsZero() && lines[first].Time.Before(started) {
			first++
		}
	}
	if !ended.IsZero() {
		for last > first && lines[last-1].Time.After(ended.Add(second+lag)) {
			last--
		}
	}
	return lines[first:last], last < len(lines)
}
