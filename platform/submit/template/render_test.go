package template_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/platform/submit/template"
)

type object = map[string]any

// begin is a template up to the fields of its object below spec, which begin in line 17.
const begin = `name: t
type: things.example.com
parameters:
- {name: s}
- {name: d, default: dd}
- {name: i, type: integer, default: 7, min: 1, max: 9}
- {name: f, type: number, default: 0.5}
- {name: q, type: quantity, default: 1, max: 16Gi}
- {name: b, type: boolean, default: true}
- {name: c, type: choice, choices: [x, "y"], default: x}
- {name: l, type: list}
- {name: m, type: map}
object:
  apiVersion: example.com/v1
  kind: Thing
  all: "${[dyn(s), d, i, f, q, b, c, l, m]}"
  spec:
`

func parse(t *testing.T, text string) *template.Template {
	t.Helper()
	tmpl, err := template.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

// TestRender: each expression gives its value.
func TestRender(t *testing.T) {
	values := template.Values{"l": []string{"b", "a c", "it's", ""}, "m": map[string]string{"B": "2", "A": "1"}, "s": "x y"}
	for _, c := range []struct {
		expr string
		want any
	}{
		{`plain`, "plain"},
		{`7`, int64(7)},
		{`~`, nil},
		{`{}`, object{}},
		{`${s}`, "x y"},
		{`"${s}"`, "x y"},
		{`a-${s}-${i}-${f}-${b}-${q}`, "a-x y-7-0.5-true-1"},
		{`$${s} $${ $$ $ {s}`, "${s} ${ $$ $ {s}"},
		{`$${s}`, "${s}"},
		{`${i}`, int64(7)},
		{`${i + 1}`, int64(8)},
		{`${uint(i)}`, int64(7)},
		{`${f}`, 0.5},
		{`${b}`, true},
		{`${l}`, []any{"b", "a c", "it's", ""}},
		{`${m}`, object{"A": "1", "B": "2"}},
		{`${null}`, nil},
		{`${when(i > 7, s)}`, nil},
		{`${when(i > 6, s)}`, "x y"},
		{`${unlessEmpty(l.filter(x, x == "nothing"))}`, nil},
		{`'${unlessEmpty("")}'`, nil},
		{`${unlessEmpty(m)}`, object{"A": "1", "B": "2"}},
		{`${entries(m)}`, []any{object{"name": "A", "value": "1"}, object{"name": "B", "value": "2"}}},
		{`'${m.map(k, k + m[k])}'`, []any{"A1", "B2"}},
		{`'${[{"a": i, "b": null}, null, {"c": [1.5]}]}'`, []any{object{"a": int64(7)}, object{"c": []any{1.5}}}},
		{`'${join(l, ", ")}'`, "b, a c, it's, "},
		{`${shell(l)}`, `b 'a c' 'it'\''s' ''`},
		{`${lower("ABC")}`, "abc"},
		{`'${{"a": "}"}}'`, object{"a": "}"}},
		{`'${"a" + ''b}'' + r"\"}'`, `ab}\`},
		{`'${m.?C}'`, nil},
		{`'${m[?"A"]}'`, "1"},
		{`[a, "${when(false, i)}", "${i}", {$if: "i > 7", a: b}, {$if: i > 6, a: b}]`, []any{"a", int64(7), object{"a": "b"}}},
		{`{"${c}-1": 1, "${when(false, c)}": 2, z: "${when(false, c)}"}`, object{"x-1": int64(1)}},
		{"|\n      ${i}\n", int64(7)},
		{"|\n      ${i}\n      ${s}\n", "7\nx y\n"},
		{">-\n      ${i > 6\n      ? [s] // }\n\n      : []}\n", []any{"x y"}},
	} {
		tmpl, err := template.Parse("t.yaml", []byte(begin+"    v: "+c.expr+"\n"))
		if err != nil {
			t.Errorf("%s does not parse: %v", c.expr, err)
			continue
		}
		m, err := tmpl.Render(values)
		if err != nil {
			t.Errorf("%s does not render: %v", c.expr, err)
			continue
		}
		spec, _ := m.Object.Object["spec"].(object)
		if got, there := spec["v"]; !cmp.Equal(got, c.want) || there != (c.want != nil) {
			t.Errorf("%s is %#v, want %#v", c.expr, got, c.want)
		}
	}
}

// TestRenderMistakes: expressions that fail only with some values, and objects that are
// too large.
func TestRenderMistakes(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for _, c := range []struct {
		expr   string
		values template.Values
		want   string
	}{
		{`${m["X"]}`, nil, `template t: parameter m: in line 18 of the template: the expression "m[\"X\"]" failed: no such key: X`},
		{`a ${s}`, nil, `parameter s: in line 18 of the template: the expression "s" within a text has no value`},
		{`a ${dyn(l)}`, nil, `parameter l: in line 18 of the template: the expression "dyn(l)" within a text is a list or a mapping`},
		{`${1 / (i - 7)}`, nil, `parameter i: in line 18 of the template: the expression "1 / (i - 7)" failed: division by zero`},
		{`${f / 0.0}`, nil, "+Inf is no number of JSON"},
		{`${uint(18446744073709551615u)}`, nil, "the number 18446744073709551615 is too large"},
		{`${dyn(b"x")}`, nil, "a value of type bytes is not taken"},
		{`'${{1: 2}}'`, nil, "the name of a field must be a text, not 1"},
		{`'${"\x1b"}'`, nil, `the text has control characters, or is not UTF-8: "\x1b"`},
		{`{"${s}": 1, "x": 2}`, template.Values{"s": "x"}, `in line 18 of the template: the field "x" is there twice`},
		{`{"${s}": 1}`, template.Values{"s": ""}, "the name of a field must be a text that is not empty"},
		{`'${l.map(a, l.map(b, a + b))}'`, template.Values{"l": many(1000)}, "actual cost limit exceeded"},
		{`'${l.map(a, l.map(b, s))}'`, template.Values{"l": many(40), "s": long}, "the object has more than 1572864 bytes"},
		{`'${l.map(a, s)}'`, template.Values{"l": many(30), "s": long}, "the object has more than 1572864 bytes"},
		{`'${join(l, s)}'`, template.Values{"l": many(1000), "s": long}, "join makes a text of more than 524288 bytes"},
		{`'${s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s + s}'`, template.Values{"s": long}, "actual cost limit exceeded"},
	} {
		_, err := parse(t, begin+"    v: "+c.expr+"\n").Render(c.values)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.expr, err, c.want)
		}
	}
	var lines strings.Builder
	for i := range 40 {
		lines.WriteString("    v" + strings.Repeat("x", i) + ": '${l.map(a, l.map(b, 1).size() > 2).size()}'\n")
	}
	_, err := parse(t, begin+lines.String()).Render(template.Values{"l": many(140)})
	if err == nil || !strings.Contains(err.Error(), "all expressions together cost too much") {
		t.Errorf("many costly expressions: %v", err)
	}
}

func many(n int) []string { return slices.Repeat([]string{"x"}, n) }

// TestSameObject: one template, used by several goroutines, always makes the same object
// from the same values, in spite of Go's random order of maps.
func TestSameObject(t *testing.T) {
	tmpl := parse(t, begin+"    v: '${m.map(k, k)}'\n    e: ${entries(m)}\n")
	env := map[string]string{}
	for i := range 50 {
		env[strings.Repeat("k", i+1)] = "v"
	}
	render := func() object {
		m, err := tmpl.Render(template.Values{"m": env})
		if err != nil {
			t.Error(err)
			return nil
		}
		return m.Object.Object
	}
	want := render()
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, render()); diff != "" {
					t.Errorf("got a difference (-want +got):\n%s", diff)
				}
			}
		})
	}
	work.Wait()
}

// TestLines: a field of the object has its line in the template, and the parameter of its
// value.
func TestLines(t *testing.T) {
	_, err := parse(t, begin+"    v: '${l}'\n    w:\n      a-${i}: ${i + 1}\n      x: ${s + d}\n      y: n-${d}\n    gone: ${s}\n").Render(template.Values{"l": []string{"a"}})
	if err == nil {
		t.Fatal("null + text made an object")
	}
	m, err := parse(t, begin+"    v: '${l}'\n    w:\n      a-${i}: 1\n      x: ${d + c}\n      y: n-${d}\n    gone: ${s}\n").Render(template.Values{"l": []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]struct {
		line      int
		parameter string
	}{
		"spec": {17, ""}, "spec.v": {18, "l"}, "spec.v[0]": {18, "l"}, "spec.w.a-7": {20, "i"}, "spec.w.x": {21, ""}, "spec.w.y": {22, "d"}, "spec.gone": {23, "s"},
		"metadata.name": {14, ""},
	} {
		line, _ := m.Line(field)
		parameter, _ := m.Origin(field)
		if line != want.line || parameter != want.parameter {
			t.Errorf("%s: line %d of parameter %q, want %v", field, line, parameter, want)
		}
	}
}
