package listing

import (
	"bytes"
	"io"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
)

// TestFormulas checks that text which a spreadsheet would compute becomes plain text, and that
// numbers stay unchanged.
func TestFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "＝1": "'＝1",
		"": "", "a=1": "a=1", "'=1": "'=1", "训练": "训练", "a\xff": "a\ufffd", "2026-03-01T15:04:05Z": "2026-03-01T15:04:05Z",
	} {
		if got := PlainText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	type doc struct {
		Type    string  `json:"type"`
		Name    string  `json:"name"`
		Count   int     `json:"count"`
		Seconds float64 `json:"seconds"`
	}
	var out bytes.Buffer
	s, err := NewPrinter(console.New(&out, io.Discard, "never"), Flags{Output: "csv"}, Columns{Always: []string{"X"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Item{Doc: doc{Name: "-x", Count: -1, Seconds: -0.5}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "type,name,count,seconds\n,'-x,-1,-0.5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
