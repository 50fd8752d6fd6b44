package template_test

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

	"github.com/vedette-io/vedette/submit/template"
)

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
	set := template.Builtin()
	set.Add("own", "own.yaml", []byte("name: own\ntype: pods\nparameters: [{name: s, default: z}, {name: l, type: list}, {name: m, type: map}]\n"+
		"object: {apiVersion: v1, kind: Pod, '${s}': 1, 'a-${s}-b': 'c ${s}${s} d', e: '${entries(m)}', l: '${l}', m: '${m}', n: '${{\"a\": [s]}}', j: '${join(l, s)}'}\n"))
	var names []string
	for _, e := range set.All() {
		names = append(names, e.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
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

// TestTexts: the text of a flag or a form field becomes the value, or an error that quotes
// at most a few characters.
func TestTexts(t *testing.T) {
	tmpl := parse(t, top+`parameters:
- {name: a}
- {name: n, type: integer}
- {name: f, type: number}
- {name: b, type: boolean}
- {name: q, type: quantity}
- {name: l, type: list}
- {name: m, type: map}
`+"object: {apiVersion: batch/v1, kind: Job, a: \"${[dyn(a), n, f, b, q, l, m]}\"}\n")
	got, err := tmpl.Values([]string{"a==x", "n= 7 ", "f=1e3", "b=true", "q=500m", "l=a", "l=b=c", "l=[\"d\", \"e\"]", "m=A=1=2", "m=B=", `m={"C": "x", "A": "3"}`, "a=last"})
	if err != nil {
		t.Fatal(err)
	}
	want := template.Values{
		"a": "last", "n": int64(7), "f": 1000.0, "b": true, "q": "500m", "l": []string{"a", "b=c", "d", "e"}, "m": map[string]string{"A": "3", "B": "", "C": "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	_, err = tmpl.Values([]string{"n=x", "n=1.5", "f=NaN", "b=maybe", "q=1Gx", "l=[1]", "m=A", "m={", "z=1", "nothing", "n=" + strings.Repeat("9", 5000)})
	if err == nil {
		t.Fatal("no mistake")
	}
	for _, want := range []string{
		`parameter n: must be a whole number, not "x"`, `not "1.5"`, "parameter f: must be a number", `parameter b: must be true or false, not "maybe"`,
		`parameter q: must be a quantity such as 500m or 16Gi, not "1Gx"`, "parameter l: must be a list of texts", `parameter m: must be name=value, not "A"`,
		`parameter m: must be a mapping of texts to texts, not "{"`, `there is no parameter "z"`, `"nothing" must be name=value`, strings.Repeat("9", 60) + `…"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if len(err.Error()) > 3000 {
		t.Errorf("the errors have %d bytes", len(err.Error()))
	}
}
