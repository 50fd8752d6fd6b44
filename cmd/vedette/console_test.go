package main

import (
	"bytes"
	"testing"
)

// TestDocumentOnTerminal: a terminal gets no control characters, also in CSV, which programs get as
// it is.
func TestDocumentOnTerminal(t *testing.T) {
	const evil = "a,\x1b]0;owned\x07\u202e\u009b31m\nb,\t1\n"
	for obeys, want := range map[bool]string{false: evil, true: "a,\\x1b]0;owned\\x07\\u202e\\u009b31m\nb,\t1\n"} {
		var out, says bytes.Buffer
		con := newConsole(&out, &says, "never")
		con.obeys = obeys
		if err := con.document(evil); err != nil || out.String() != want {
			t.Errorf("terminal %v: %q, %v, want %q", obeys, out.String(), err, want)
		}
	}
}
