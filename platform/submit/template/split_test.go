package template

import (
	"strings"
	"testing"
)

// FuzzSplit: the parts of a text together are the text, and an expression ends at the same
// brace as in CEL.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"", "a", "${a}", "a${b}c$${d}", `${"}"}`, `${'''}'''}`, `${r"\"}`, `${{"a": {"b": 1}}}`, "${a // }\n}", "${a", "$$${a}", `${"\"}"}`, `${br'}'}`, `${xr"\"}"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := split(text)
		if err != nil {
			return
		}
		var whole strings.Builder
		for _, p := range parts {
			if p.isCEL {
				whole.WriteString("${" + p.expr + "}")
			} else {
				whole.WriteString(strings.ReplaceAll(p.fixed, "${", "$${"))
			}
		}
		if whole.String() != text {
			t.Errorf("%q is split into %q", text, whole.String())
		}
		c, err := newCompiler(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if !p.isCEL || !strings.Contains(p.expr, "}") {
				continue
			}
			for i, r := range p.expr { // an earlier brace must not end a valid expression
				if r != '}' {
					continue
				}
				if e, _ := c.compile(p.expr[:i], 1); e != nil && !strings.Contains(p.expr[:i], "//") {
					t.Errorf("%q: CEL takes %q alone", text, p.expr[:i])
				}
			}
		}
	})
}
