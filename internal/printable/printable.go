// Package printable makes untrusted text safe to show on a terminal.
//
// Objects, databases, servers and files contain text that anybody may have written.
// Control characters in such text can move the cursor, hide or forge lines, and set the
// clipboard of the terminal. Bidirectional overrides and invisible characters make text
// look like something else. This package shows all of these as escapes, such as \x1b
// and \u202e, and leaves everything else unchanged: letters of all scripts, combining
// marks, emoji.
//
// The escapes are for people. A backslash in the text is not escaped, so escaped text
// cannot be converted back, and escaping it again changes nothing.
package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as part of one line: it also escapes line feeds and tabs.
func Line(text string) string { return escape(text, "") }

// Text returns text of any number of lines: it keeps line feeds and tabs.
func Text(text string) string { return escape(text, "\n\t") }

// Writer escapes everything written to it as Text does. Each call of Write must end
// with a complete character. Several goroutines may use it if the underlying writer
// allows that.
type Writer struct{ raw io.Writer }

// NewWriter returns a Writer to w, or w itself if it is a Writer.
func NewWriter(w io.Writer) *Writer {
	if p, ok := w.(*Writer); ok {
		return p
	}
	return &Writer{w}
}

// Write implements io.Writer.
//
// Errors: those of the underlying writer.
func (w *Writer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.raw, Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Raw returns the underlying writer, for text that is not for people and for the
// program's own control sequences.
func (w *Writer) Raw() io.Writer { return w.raw }

// Sprintf formats like fmt.Sprintf, with each argument escaped as Line does. The format
// must be trusted. Sprintf modifies the elements of args.
func Sprintf(format string, args ...any) string {
	for i, arg := range args {
		args[i] = argument{arg}
	}
	return fmt.Sprintf(format, args...)
}

// argument formats its value and then escapes the result.
type argument struct{ value any }

// Format implements fmt.Formatter.
func (a argument) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, Line(fmt.Sprintf(fmt.FormatString(f, verb), a.value))) // a State cannot fail
}

// escape escapes all characters that must not be shown, except the control characters
// in keep.
func escape(text, keep string) string {
	var out strings.Builder
	done := 0 // text[:done] is in out
	before := rune(-1)
	for i, r := range text {
		size := 1
		if r != utf8.RuneError {
			size = utf8.RuneLen(r)
		} else if _, n := utf8.DecodeRuneInString(text[i:]); n > 1 {
			size = n // the input contains the replacement character itself
		} else {
			r = -1
		}
		if r >= ' ' && r < 0x7f || r >= 0 && strings.ContainsRune(keep, r) || r >= 0 && visible(r, before, text[i+size:]) {
			before = r
			continue
		}
		out.WriteString(text[done:i])
		switch {
		case r < 0:
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\r':
			out.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
		done, before = i+size, -1
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// visible reports whether a non-ASCII character may be shown unchanged between the
// characters before and after it.
func visible(r, before rune, rest string) bool {
	switch {
	case r == joiner || r == nonJoiner:
		after, _ := utf8.DecodeRuneInString(rest)
		return after != utf8.RuneError && joins(before, after)
	case unicode.Is(unicode.Variation_Selector, r):
		return varies(before)
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point):
		return false
	case unicode.Is(unicode.Cf, r):
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r) // visible Arabic signs
	}
	return true
}

// joining lists the scripts in which joiners are part of the spelling.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Khmer, unicode.Malayalam,
	unicode.Mongolian, unicode.Myanmar, unicode.Oriya, unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

// joins reports whether a joiner has a meaning between two characters: in the scripts
// that use joiners, and between the parts of an emoji.
func joins(before, after rune) bool {
	if unicode.In(before, joining...) && unicode.In(after, joining...) {
		return true
	}
	skin := before >= 0x1f3fb && before <= 0x1f3ff
	return (skin || unicode.Is(unicode.So, before) || unicode.Is(unicode.Variation_Selector, before)) && unicode.Is(unicode.So, after)
}

// varies reports whether a variation selector has a meaning after a character.
func varies(before rune) bool {
	switch {
	case before < 0x80:
		return before == '#' || before == '*' || before >= '0' && before <= '9' // keycaps
	case unicode.Is(unicode.Variation_Selector, before):
		return false
	}
	return !unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Z)
}
