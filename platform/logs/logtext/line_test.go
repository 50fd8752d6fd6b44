package logtext_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/logtext"
)

// TestLines: each line of the table has its forms, and its spans have their styles. The pages
// are tested with the same table.
func TestLines(t *testing.T) {
	text, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Line, Terminal, Plain, File string
		Spans                       [][2]string
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for _, c := range table {
		if got := logtext.Terminal(c.Line); got != c.Terminal {
			t.Errorf("%q: on a terminal %q, want %q", c.Line, got, c.Terminal)
		}
		if got := logtext.Plain(c.Line); got != c.Plain {
			t.Errorf("%q: without colors %q, want %q", c.Line, got, c.Plain)
		}
		if got := logtext.File(c.Line); got != c.File {
			t.Errorf("%q: in a file %q, want %q", c.Line, got, c.File)
		}
		var got, want []string
		for _, s := range logtext.Spans(c.Line) {
			got = append(got, nameOf(s.Style))
		}
		for _, s := range c.Spans {
			want = append(want, s[1])
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: styles %q, want %q", c.Line, got, want)
		}
	}
}

// nameOf returns a style as the table has it.
func nameOf(s logtext.Style) string {
	var words []string
	for _, w := range []struct {
		is   bool
		word string
	}{{s.Bold, "b"}, {s.Dim, "d"}, {s.Italic, "i"}, {s.Underline, "u"}, {s.Color != "", s.Color}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " ")
}

// TestLineIsSafe: whatever a program writes, a line has no control characters but tabs and our
// own SGR sequences, and ends with the usual style; a file has the evaluated ones only; and
// printing a printed line again changes no text.
func TestLineIsSafe(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"a", "内", "e\u0301", "\t", "\r", "\b", "\x1b", "\x1b[", "\x1b[31m", "\x1b[1;4m", "\x1b[0m", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[38;5;", "9", ";", "m", "\x9b", "\u202e", "\x00", "\xff"}),
			rapid.String())).Draw(t, "parts")
		line := strings.Join(parts, "")
		for name, got := range map[string]string{"plain": logtext.Plain(line), "terminal": withoutOwn(logtext.Terminal(line)), "file": strings.NewReplacer("\r", "", "\b", "").Replace(withoutOwn(logtext.File(line)))} {
			if safe := printable.Text(got); got != safe {
				t.Fatalf("%q: %s is %q, want %q", line, name, got, safe)
			}
		}
		shown := logtext.Terminal(line)
		if i := strings.LastIndex(shown, "\x1b["); i >= 0 && !strings.HasPrefix(shown[i:], "\x1b[0m") {
			t.Fatalf("%q: %q ends with a style", line, shown)
		}
		if again := logtext.Plain(shown); again != logtext.Plain(line) {
			t.Fatalf("%q: %q becomes %q", line, shown, again)
		}
	})
}

// withoutOwn removes the sequences that a line may have.
func withoutOwn(text string) string {
	for {
		i := strings.Index(text, "\x1b[")
		if i < 0 {
			return text
		}
		end := strings.IndexAny(text[i+2:], "mK")
		if end < 0 || strings.Trim(text[i+2:i+2+end], "0123456789;:") != "" {
			return text
		}
		text = text[:i] + text[i+2+end+1:]
	}
}
