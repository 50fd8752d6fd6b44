package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzWhole: what is skipped in one go is what encoding/json takes for a value,
// and nothing is skipped beyond it.
func FuzzWhole(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":{"b":[1,-2.5e+3,true,false,null,"c\u00e9\\\"d"]},"f":{}}`, `[[],{},[[]]]`, ` "a" `, `0`, `-0`, `01`, `1.`, `1e`, `-`,
		`{"a" : 1 , "b":[ ] }`, `{"a":1,}`, `[1,]`, `{,}`, `[,1]`, `{"a"}`, `{"a":}`, `nul`, `tru`, `"\x"`, `"\u12g4"`, "\"\t\"", `"` + strings.Repeat("long ", 9) + `"`,
		`{]`, `[}`, `{"a":[}`, strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65), ``, `}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end := whole(append(bytes.Clone(b), ' '), 0)
		if end >= 0 {
			if end > len(b) || !json.Valid(b[:end]) {
				t.Fatalf("%q was taken for a value, up to %d", b, end)
			}
		}
		trimmed := bytes.TrimRight(b, " \t\r\n")
		if json.Valid(b) && bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) <= wholeDepth && end != len(trimmed) {
			t.Fatalf("%q ends at %d, found %d", b, len(trimmed), end)
		}
	})
}

// TestWholeNeedsMore: of a value that has not arrived whole nothing is skipped,
// wherever it was cut, and a number may always go on.
func TestWholeNeedsMore(t *testing.T) {
	for _, v := range []string{`{"a":{"b":[1,-2.5e+3,true,false,null,"c\u00e9\\\"d and some more of it"]},"f":{}}`, `12`, `"text"`, `null`} {
		for n := range len(v) {
			if end := whole([]byte(v[:n]), 0); end >= 0 {
				t.Errorf("%q is taken for a value, up to %d", v[:n], end)
			}
		}
	}
}
