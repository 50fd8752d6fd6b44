package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// maxStamp is the maximum length of the time before a line, with the space after it.
const maxStamp = 40

// scanned is one line of an answer.
type scanned struct {
	at      time.Time // zero if the line has no time
	text    string
	cut     int  // bytes that are missing at the end of text
	partial bool // the answer ended within the line
}

// scanner splits an answer into lines. It holds one line of at most MaxLine bytes.
type scanner struct {
	in   *bufio.Reader
	line []byte
}

func newScanner(in io.Reader) *scanner { return &scanner{in: bufio.NewReaderSize(in, 32<<10)} }

// waits reports whether the next line has not arrived yet, as far as the buffer shows.
func (s *scanner) waits() bool { return s.in.Buffered() == 0 }

// next returns the next line. After the last line it returns the error of the reader:
// io.EOF if the answer ended normally.
func (s *scanner) next() (scanned, error) {
	s.line = s.line[:0]
	cut := 0
	for {
		part, err := s.in.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		room := max(MaxLine+maxStamp-len(s.line), 0)
		s.line = append(s.line, part[:min(room, len(part))]...)
		cut += len(part) - min(room, len(part))
		switch {
		case whole:
			return s.split(cut), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(s.line) > 0 && errors.Is(err, io.EOF):
			l := s.split(cut)
			l.partial = true
			return l, nil
		default:
			return scanned{}, err
		}
	}
}

// split separates the time from the text.
func (s *scanner) split(cut int) scanned {
	line := s.line
	head := line[:min(len(line), maxStamp)]
	if i := bytes.IndexByte(head, ' '); i > 0 {
		head = head[:i]
	}
	at, err := time.Parse(time.RFC3339Nano, string(head))
	if err != nil {
		return scanned{text: string(line[:min(len(line), MaxLine)]), cut: cut + max(len(line)-MaxLine, 0)}
	}
	rest := bytes.TrimPrefix(line[len(head):], []byte(" "))
	return scanned{at: at, text: string(rest[:min(len(rest), MaxLine)]), cut: cut + max(len(rest)-MaxLine, 0)}
}
