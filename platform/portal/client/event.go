package client

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxEvent is the maximum size of an event in bytes.
const maxEvent = 16 << 20

// errTooLong is returned for an event with more bytes.
var errTooLong = errors.New("an event of the stream is too long")

// frame is a server-sent event.
type frame struct{ event, id, data string }

// frames reads server-sent events. It belongs to one goroutine.
type frames struct{ r *bufio.Reader }

func newFrames(r io.Reader) *frames { return &frames{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next event, also without data: a comment is an event without fields.
//
// Errors: errTooLong; those of the reader. An incomplete event at the end is lost.
func (f *frames) next() (one frame, err error) {
	var data []string
	size := 0
	for {
		line, err := f.line(maxEvent - size)
		if err != nil {
			return frame{}, err
		}
		if size += len(line) + 1; line == "" {
			one.data = strings.Join(data, "\n")
			return one, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			one.event = value
		case "data":
			data = append(data, value)
		case "id":
			if !strings.ContainsRune(value, 0) {
				one.id = value
			}
		}
	}
}

// line returns a line of at most a number of bytes without its end: \n or \r\n.
func (f *frames) line(most int) (string, error) {
	var all []byte
	for {
		part, err := f.r.ReadSlice('\n')
		if len(all)+len(part) > most {
			return "", errTooLong
		}
		all = append(all, part...)
		if err == nil {
			return strings.TrimSuffix(string(all[:len(all)-1]), "\r"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}
