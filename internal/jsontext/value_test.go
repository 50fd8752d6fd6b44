package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValueEnd compares ValueEnd with encoding/json.
func FuzzValueEnd(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":{"b":[1,-2.5e+3,true,false,null,"c\u00e9\\\"d"]},"f":{}}`, `[[],{},[[]]]`, ` "a" `, `0`, `-0`, `01`, `1.`, `1e`, `-`,
		`{"a" : 1 , "b":[ ] }`, `{"a":1,}`, `[1,]`, `{,}`, `[,1]`, `{"a"}`, `{"a":}`, `nul`, `tru`, `"\x"`, `"\u12g4"`, "\"\t\"", `"` + strings.Repeat("long ", 9) + `"`,
		`{]`, `[}`, `{"a":[}`, strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100), ``, `}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end := ValueEnd(append(bytes.Clone(b), ' '), 0)
		if end >= 0 {
			if end > len(b) || !json.Valid(b[:end]) {
				t.Fatalf("%q: got a value up to %d, want -1", b, end)
			}
		}
		trimmed := bytes.TrimRight(b, " \t\r\n")
		if json.Valid(b) && end != len(trimmed) {
			t.Fatalf("%q: got %d, want %d", b, end, len(trimmed))
		}
	})
}

// TestValueEndOfPart checks that a value has no end before all of it has arrived, and that a
// number may always continue.
func TestValueEndOfPart(t *testing.T) {
	for _, v := range []string{`{"a":{"b":[1,-2.5e+3,true,false,null,"c\u00e9\\\"d and some more of it"]},"f":{}}`, `12`, `"text"`, `null`} {
		for n := range len(v) {
			if end := ValueEnd([]byte(v[:n]), 0); end >= 0 {
				t.Errorf("%q: got a value up to %d, want -1", v[:n], end)
			}
		}
	}
}
