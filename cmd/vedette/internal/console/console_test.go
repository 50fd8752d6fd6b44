package console

import (
	"bytes"
	"testing"
)

// TestDocumentOnTerminal checks that a document is escaped on a terminal and unchanged elsewhere.
func TestDocumentOnTerminal(t *testing.T) {
	const evil = "a,\x1b]0;owned\x07\u202e\u009b31m\nb,\t1\n"
	for obeys, want := range map[bool]string{false: evil, true: "a,\\x1b]0;owned\\x07\\u202e\\u009b31m\nb,\t1\n"} {
		var out, says bytes.Buffer
		con := New(&out, &says, "never")
		con.Obeys = obeys
		if err := con.Document(evil); err != nil || out.String() != want {
			t.Errorf("terminal %v: got %q, %v, want %q", obeys, out.String(), err, want)
		}
	}
}
