package printable_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/printable"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"ASCII", `ml/train-0 [100%] C:\temp`, `ml/train-0 [100%] C:\temp`},
		{"colors", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"clipboard", "\x1b]52;c;aGk=\a", `\x1b]52;c;aGk=\x07`},
		{"NUL, backspace, DEL", "a\x00\b\x7f", `a\x00\x08\x7f`},
		{"CSI of 8 bits", "\u009b31m", `\u009b31m`},
		{"NEL", "a\u0085b", `a\u0085b`},
		{"lines", "a\nb\r\nc\td", `a\nb\r\nc\td`},
		{"separators of lines", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"overrides", "\u202agnp\u202e.\u2066x\u2069\u200e\u200f\u061c", `\u202agnp\u202e.\u2066x\u2069\u200e\u200f\u061c`},
		{"zero width", "a\u200bb\u2060c\ufeffd\u00ade", `a\u200bb\u2060c\ufeffd\u00ade`},
		{"joiners in Latin", "a\u200db\u200cc", `a\u200db\u200cc`},
		{"variation in Latin", "a\ufe0f\ufe0f", `a\ufe0f\ufe0f`},
		{"hidden after an emoji", "😀\ufe0f\ufe01\U000e0101", "😀\ufe0f" + `\ufe01\U000e0101`},
		{"tags", "a\U000e0041\U000e007f", `a\U000e0041\U000e007f`},
		{"fillers", "\u3164\u115f\uffa0\u034f", `\u3164\u115f\uffa0\u034f`},
		{"invalid UTF-8", "a\xff\xc3(\xe2\x80", `a\xff\xc3(\xe2\x80`},
		{"a surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"the replacement character", "a\ufffdb", "a\ufffdb"},
		{"Chinese, Greek, Cyrillic", "训练任务 ελ жук", "训练任务 ελ жук"},
		{"combining marks", "Zoe\u0308 e\u0301", "Zoe\u0308 e\u0301"},
		{"Hebrew and Arabic", "שלום مرحبا \u0600", "שלום مرحبا \u0600"},
		{"Persian with a joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"Devanagari with a joiner", "क्\u200dष", "क्\u200dष"},
		{"emoji", "🚀 ❤\ufe0f 1\ufe0f\u20e3 👩🏽\u200d💻 👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇩🇪", "🚀 ❤\ufe0f 1\ufe0f\u20e3 👩🏽\u200d💻 👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇩🇪"},
		{"a variant of an ideograph", "葛\U000e0100", "葛\U000e0100"},
		{"other spaces", "a\u00a0b\u3000c", "a\u00a0b\u3000c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := printable.Line(c.text); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if again := printable.Line(c.want); again != c.want {
				t.Errorf("escaped again: %q", again)
			}
		})
	}
	if got := printable.Text("a\tb\n\rc\x1b"); got != "a\tb\n"+`\rc\x1b` {
		t.Errorf("several lines: %q", got)
	}
}

// FuzzLine: no output has a control character or invalid UTF-8, and escaping it again
// changes nothing.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"a\x1b[0m", "\u200d😀\u200d😀", "\xff\xfe", "\U000e0100葛\U000e0100", "a\n\tb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := printable.Line(text)
		if !utf8.ValidString(line) {
			t.Errorf("%q is not valid", line)
		}
		for _, r := range line {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029 {
				t.Errorf("%q has the character %U, want it escaped", line, r)
			}
		}
		if again := printable.Line(line); again != line {
			t.Errorf("%q, and again %q", line, again)
		}
		if printable.Line(printable.Text(text)) != line {
			t.Errorf("%q is not %q after Text", printable.Line(printable.Text(text)), line)
		}
	})
}

type broken struct{ io.Writer }

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := printable.NewWriter(&out)
	if printable.NewWriter(w) != w || w.Raw() != &out {
		t.Error("a writer is wrapped twice")
	}
	text := []byte("a\x1b\nb\n")
	if n, err := w.Write(text); n != len(text) || err != nil || out.String() != "a\\x1b\nb\n" {
		t.Errorf("wrote %d bytes, error %v, output %q; want all of them and the line breaks kept", n, err, out.String())
	}
	if n, err := printable.NewWriter(broken{}).Write(text); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("wrote %d bytes, error %v; want 0 and io.ErrClosedPipe", n, err)
	}
}

func TestSprintf(t *testing.T) {
	got := printable.Sprintf("\t%s %q %v %5d|%-4s|%03d %v\n", "a\nb", "\u202e", errors.New("\x1b"), 42, "é", 7, time.Second)
	if want := "\ta\\nb \"\\u202e\" \\x1b    42|é   |007 1s\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
