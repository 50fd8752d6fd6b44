package client

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	in := newFrames(strings.NewReader(": hello\n\nevent: a\nid: 1\ndata: x\ndata:y\n\ndata\n\nid: 2\x00\nnothing: x\n\nevent: cut\ndata: z\n"))
	for _, want := range []frame{{}, {"a", "1", "x\ny"}, {}, {}} {
		if got, err := in.next(); got != want || err != nil {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	if got, err := in.next(); !errors.Is(err, io.EOF) || got != (frame{}) {
		t.Errorf("a cut event: got %+v and error %v, want io.EOF", got, err)
	}
	long := newFrames(strings.NewReader("data: " + strings.Repeat("x", maxEvent) + "\n\n"))
	if _, err := long.next(); !errors.Is(err, errTooLong) {
		t.Errorf("a long event: got %v, want errTooLong", err)
	}
}

// FuzzFrames: any input is read to its end, and the events are not longer than the input.
func FuzzFrames(f *testing.F) {
	f.Add("event: a\r\ndata: b\r\n\r\n")
	f.Add(":\n\n\n:::\ndata\x00:\n")
	f.Fuzz(func(t *testing.T, text string) {
		in := newFrames(strings.NewReader(text))
		size := 0
		for {
			one, err := in.next()
			if err != nil {
				break
			}
			size += len(one.event) + len(one.id) + len(one.data)
		}
		if size > len(text) {
			t.Errorf("%d bytes of %q", size, text)
		}
	})
}
