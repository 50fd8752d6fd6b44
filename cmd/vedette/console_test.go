package main

import (
	"bytes"
	"testing"

	"github.com/vedette-io/vedette/internal/console"
)

// TestDocumentOnTerminal: a terminal gets no control characters, also in CSV, which programs get as
// it is.
func TestDocumentOnTerminal(t *testing.T) {
	const evil = "a,\x1b]0;owned\x07\u202e\u009b31m\nb,\t1\n"
	for obeys, want := range map[bool]string{false: evil, true: "a,\\x1b]0;owned\\x07\\u202e\\u009b31m\nb,\t1\n"} {
		var out, says bytes.Buffer
		con := console.New(&out, &says, "never")
		con.Obeys = obeys
		if err := con.Document(evil); err != nil || out.String() != want {
			t.Errorf("terminal %v: %q, %v, want %q", obeys, out.String(), err, want)
		}
	}
}
