// Package hostile_test renders templates with hostile values, and reads the command lines with
// a shell.
package hostile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/submit/template"
)

type object = map[string]any

// mark marks the place of a value in an object.
const mark = "mmarkm"

// hostile draws texts with a meaning in YAML, JSON, CEL, templates, shells and terminals.
func hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"", " ", "null", "~", "true", "1", "1e3", "0644", "2026-01-01", "a: b", "- a", "{a: b}", "[a]", "'", `"`, "`", "# x", "x # y", "&a", "*a", "!!int 1", "|", ">", "%", "@", "---", "...",
			"x\nspec:\n  hostNetwork: true", "x\n---\nkind: Pod", "\"\n  privileged: true\n#", "${image}", "${1/0}", "$${", "${", "}", "{{.}}", "$(A)", "$HOME", "`id`", "; id", "<<", "$if", "\ufeff", "\u2028", "\u202e",
			"\x00", "\x1b[2J", "\u0085", "\xff\xfe", "😀", `\`, `\n`, `\u0041`, "\t", "\r\n", strings.Repeat("x", 1000), strings.Repeat("x", 70<<10), strings.Repeat("{", 500),
		}),
		rapid.String(),
		rapid.StringMatching(`[-:{}\[\],&*#?|><=!%@'"$\\ \na1.~]{0,12}`),
	)
}

// sameShape reports where got differs from want in anything but the texts with the mark.
func sameShape(want, got any, path string, replaced func(marked, got string) bool) string {
	switch want := want.(type) {
	case object:
		g, ok := got.(object)
		if !ok || len(g) != len(want) {
			return fmt.Sprintf("%s is %#v, want the fields of %#v", path, got, want)
		}
		for name, v := range want {
			var below any
			there := false
			for other, v := range g {
				if replaced(name, other) {
					below, there = v, true
				}
			}
			if !there {
				return fmt.Sprintf("%s.%s is missing", path, name)
			}
			if diff := sameShape(v, below, path+"."+name, replaced); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return fmt.Sprintf("%s is %#v, want the items of %#v", path, got, want)
		}
		for i, v := range want {
			if diff := sameShape(v, g[i], fmt.Sprintf("%s[%d]", path, i), replaced); diff != "" {
				return diff
			}
		}
		return ""
	case string:
		if g, ok := got.(string); ok && replaced(want, g) {
			return ""
		}
	}
	if !cmp.Equal(want, got) {
		return fmt.Sprintf("%s is %#v, want %#v", path, got, want)
	}
	return ""
}

// TestHostileValues: every value is refused with the name of its parameter, or becomes a
// text in the place of a harmless value. Nothing else changes.
func TestHostileValues(t *testing.T) {
	testinput.Uncached(t)
	set := template.Builtin()
	set.Add("own", "own.yaml", []byte("name: own\ntype: pods\nparameters: [{name: s, default: z}, {name: l, type: list}, {name: m, type: map}]\n"+
		"object: {apiVersion: v1, kind: Pod, '${s}': 1, 'a-${s}-b': 'c ${s}${s} d', e: '${entries(m)}', l: '${l}', m: '${m}', n: '${{\"a\": [s]}}', j: '${join(l, s)}'}\n"))
	var names []string
	for _, e := range set.All() {
		names = append(names, e.Name)
	}
	testinput.Check(t, func(t *rapid.T) {
		tmpl, err := set.Get(rapid.SampledFrom(names).Draw(t, "template"))
		if err != nil {
			t.Fatal(err)
		}
		var parameters []string
		for _, p := range tmpl.Parameters() {
			parameters = append(parameters, p.Name)
		}
		p, _ := tmpl.Parameter(rapid.SampledFrom(parameters).Draw(t, "parameter"))
		evil := hostile().Draw(t, "value")
		values := func(text string) template.Values {
			v := template.Values{"image": "i"}
			if _, ok := tmpl.Parameter("command"); ok {
				v["command"] = []string{"c"}
			}
			switch p.Type {
			case template.List:
				v[p.Name] = []string{"x", text}
			case template.Map:
				v[p.Name] = map[string]string{text: text}
			default:
				v[p.Name] = text
			}
			if _, ok := tmpl.Parameter("image"); !ok {
				delete(v, "image")
			}
			return v
		}
		m, err := tmpl.Render(values(evil))
		if err != nil {
			bad := (*template.ValuesError)(nil)
			if !errors.As(err, &bad) || len(bad.Problems) != 1 || bad.Problems[0].Parameter != p.Name {
				t.Fatalf("%s=%q: got %v, want one problem with this parameter", p.Name, evil, err)
			}
			return
		}
		if p.Type == template.Choice || p.Type == template.Quantity {
			return // invalid choices and quantities are refused
		}
		harmless, err := tmpl.Render(values(mark))
		if err != nil {
			t.Fatal(err)
		}
		got := m.Object.Object
		diff := sameShape(harmless.Object.Object, got, "", func(marked, got string) bool {
			if p.Name == "command" && strings.Contains(marked, "x "+mark) { // a line for a shell
				return slices.Equal(shellWords(t, got), []string{"x", evil})
			}
			return strings.ReplaceAll(marked, mark, evil) == got
		})
		if diff != "" {
			t.Fatalf("%s=%q of %s: %s", p.Name, evil, tmpl.Name, diff)
		}
		if evil == "<<" {
			return // the library does not quote it in a name; requests use JSON
		}
		var back object
		text, err := yaml.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, &back); err != nil || toJSON(t, back) != toJSON(t, got) {
			t.Fatalf("%s=%q is another object after YAML: %v", p.Name, evil, err)
		}
	})
}

func toJSON(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shellWords returns the words into which a shell splits a line.
func shellWords(t *rapid.T, line string) []string {
	out, err := exec.Command("sh", "-c", `for w in "$@"; do printf '%s\0' "$w"; done`, "sh").Output()
	if err != nil || len(out) > 0 {
		t.Fatal(err)
	}
	out, err = exec.Command("sh", "-c", "printf '%s\\0' "+line).Output()
	if err != nil {
		t.Fatalf("a shell does not read %q: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
