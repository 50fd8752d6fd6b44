package template_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/submit/template"
)

const (
	top  = "name: t\ntype: jobs.batch\n"
	body = "object: {apiVersion: batch/v1, kind: Job, a: \"${a}\"}\n"
	one  = "parameters: [{name: a}]\n"
)

// TestMistakes: all mistakes of a template are found when it is parsed, each with its
// line.
func TestMistakes(t *testing.T) {
	param := func(fields string) string { return top + "parameters:\n- {name: a, " + fields + "}\n" + body }
	object := func(text string) string {
		return top + one + "object:\n  apiVersion: batch/v1\n  kind: Job\n  a: ${a}\n" + text
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "# x", []string{"t:1: the file is empty; a template has"}},
		{"no mapping", "- x", []string{"t:1: a template must be a mapping with name"}},
		{"no YAML", "name: [", []string{"t:1: invalid YAML"}},
		{"references", top + "parameters: &x []\nobject: *x\n", []string{"t:4: a reference"}},
		{"no name and no type", one + body, []string{`t:1: the name "" must have 1 to 63`, `t:1: the type "" must be a plural name`}},
		{"another field", top + one + body + "objects: {}\n", []string{`t:5: a template has no field "objects"`}},
		{"no object", top + one, []string{"t:1: object is missing"}},
		{"a list as the object", top + one + "object: [x]\n", []string{"t:4: object must be a mapping"}},
		{"no kind", top + one + "object:\n  apiVersion: batch/v1\n  a: ${a}\n", []string{"t:5: the object's kind is missing"}},
		{"a computed kind", top + one + "object:\n  apiVersion: batch/v1\n  kind: ${a}\n", []string{"t:6: the object's kind is missing, or is no text without"}},
		{"another group", top + one + "object:\n  apiVersion: kubeflow.org/v1\n  kind: Job\n  a: ${a}\n", []string{`t:5: the object is of "kubeflow.org/v1", and the template's type is "jobs.batch"`}},
		{"a core version for a group", top + one + "object:\n  apiVersion: v1\n  kind: Job\n  a: ${a}\n", []string{`t:5: the object is of "v1"`}},
		{"a group for the core", "name: t\ntype: pods\n" + one + body, []string{`t:4: the object is of "batch/v1", and the template's type is "pods"`}},
		{"an unused parameter", top + "parameters:\n- {name: a}\n- {name: c}\n" + body, []string{"t:5: the parameter c is not in the object"}},
		{"control characters", "description: \"\\e[2J\"\n" + top + one + body, []string{"t:1: description has control characters"}},

		{"names", top + "parameters:\n- {name: A}\n- {name: a-b}\n- {name: namespace}\n- {name: string}\n- {name: x}\n- {name: x}\n- {}\n" + body, []string{
			`t:4: the parameter's name "A"`, `t:5: the parameter's name "a-b"`, "t:6: no parameter can be called namespace", "t:7: no parameter can be called string",
			"t:9: there are two parameters with the name x", `t:10: the parameter's name ""`,
		}},
		{"no mapping as a parameter", top + "parameters: [a]\n" + body, []string{"t:3: a parameter must be a mapping"}},
		{"no list of parameters", top + "parameters: {a: b}\n" + body, []string{"t:3: parameters must be a list"}},
		{"type", param("type: int"), []string{`t:4: there is no type "int"; there are text, integer,`}},
		{"no choices", param("type: choice"), []string{"t:4: the parameter a needs choices"}},
		{"choices of a text", param("choices: [x]"), []string{"t:4: choices are for parameters of type choice"}},
		{"the same choice", param("type: choice, choices: [x, x]"), []string{`t:4: the choice "x" is there twice`}},
		{"pattern", param(`pattern: "("`), []string{"t:4: the pattern is no regular expression"}},
		{"pattern of a number", param("type: integer, pattern: x"), []string{"t:4: pattern is for parameters of type text"}},
		{"bounds", param("type: integer, min: x, max: 1.5"), []string{"t:4: min of the parameter a must be a whole number", "t:4: max of the parameter a must be"}},
		{"bound of a quantity", param("type: quantity, max: 1Gx"), []string{"t:4: max of the parameter a must be a quantity"}},
		{"bound of a boolean", param("type: boolean, max: 1"), []string{"t:4: max is not for parameters of type boolean"}},
		{"required", param("required: x"), []string{"t:4: required must be true or false"}},
		{"a default that is required", param("required: true, default: x"), []string{"t:4: the parameter a is required, and its default"}},
		{"a default out of bounds", param("type: integer, max: 3, default: 4"), []string{"t:4: the default of a: is 4; the most is 3"}},
		{"a default of another type", param("default: 4"), []string{"t:4: the default of a: must be a text"}},
		{"a default that is not a choice", param("type: choice, choices: [x], default: z"), []string{`t:4: the default of a: must be one of x, not "z"`}},
		{"a default of lists", param("type: list, default: [[a]]"), []string{"t:4: the default of a: each item must be a text"}},

		{"a check", top + one + body + "checks:\n- {}\n- {check: a + 1, message: x}\n- {check: a, message: x}\n- {check: [a], message: x}\n- x\n", []string{
			"t:6: check is missing: it is an expression", "t:6: message is missing", `t:7: in "a + 1", at column 3: found no matching overload`,
			`t:8: "a" is wrapper(string), and must be true or false`, "t:9: check must be an expression", "t:10: a check must be a mapping", "t:10: check is missing",
		}},

		{"unknown name", object("  b: ${x}\n"), []string{`t:8: in "x", at column 1: undeclared reference to 'x'`}},
		{"several lines", object("  b: |\n    a\n    ${1 +\n    x}\n"), []string{`t:11: in "1 +\nx", at column 1: undeclared reference`}},
		{"empty", object("  b: ${ }\n"), []string{"t:8: the expression is empty"}},
		{"no end", object("  b: \"${a\"\n"), []string{`t:8: the expression "${a" has no closing brace`}},
		{"long", object("  b: ${" + strings.Repeat("a+", 3000) + "a}\n"), []string{"t:8: an expression of 6001 bytes is refused"}},
		{"a list in a text", object("  b: x${[a]}\n"), []string{`t:8: "[a]" is list(wrapper(string)), and cannot be a part of a text`}},
		{"a time", object("  b: ${timestamp('2026-01-01T00:00:00Z')}\n"), []string{"is timestamp, and an object cannot have it"}},
		{"a name that is a number", object("  ${1}: x\n"), []string{`t:8: "1" is int, and the name of a field must be a text`}},
		{"a name twice", object("  b: 1\n  b: 2\n"), []string{`t:9: the field "b" is in line 8 already`}},
		{"no condition", object("  b: {$if: a, c: d}\n  $if: true\n"), []string{`t:8: "a" is wrapper(string), and must be true or false`, "t:9: the object itself cannot have $if"}},
		{"nested comprehensions", object("  b: ${[1].map(x, [1].map(y, [1].map(z, z)))}\n"), []string{`t:8: in "[1].map(x, [1].map(y, [1].map(z, z)))"`}},
		{"a merge", object("  b: {<<: {c: d}}\n"), []string{"t:8: the name of a field must be a text"}},
		{"deep", object("  b: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n"), []string{"t:8: an object has at most 5000 values, nested at most 60 deep"}},
		{"many values", object("  b: [" + strings.Repeat("x,", 5000) + "]\n"), []string{"t:8: an object has at most 5000 values"}},
		{"many parameters", top + "parameters: [" + strings.Repeat("{name: a},", 101) + "]\n" + body, []string{"t:3: there are 101 parameters; at most 100 are allowed"}},
		{"many checks", top + one + body + "checks: [" + strings.Repeat("x,", 101) + "]\n", []string{"t:5: there are 101 checks; at most 100 are allowed"}},
		{"too long", strings.Repeat("#", 1<<20+1), []string{"t: a file of more than 1048576 bytes is refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := template.Parse("t", []byte(c.text))
			if err == nil {
				t.Fatal("no mistake")
			}
			got := err.Error()
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in\n%s", want, got)
				}
			}
			if n := strings.Count(got, "\nt:") + 1; n != len(c.want) {
				t.Errorf("%d mistakes, want %d:\n%s", n, len(c.want), got)
			}
		})
	}
}

// TestValuesMistakes: all mistakes of values are reported at once, each with its
// parameter.
func TestValuesMistakes(t *testing.T) {
	tmpl := parse(t, `name: t
type: jobs.batch
parameters:
- {name: image, required: true}
- {name: args, type: list, required: true, max: 2, pattern: "[a-z]+"}
- {name: env, type: map, max: 1, pattern: "[a-z]*"}
- {name: gpus, type: integer, min: 1, max: 8}
- {name: rate, type: number, min: 0.5}
- {name: mem, type: quantity, min: 1Gi, max: 16Gi}
- {name: word, max: 3, pattern: "[a-z]+|[0-9]+"}
- {name: on, type: boolean}
- {name: kind, type: choice, choices: [x, y]}
checks:
- {check: gpus == null || gpus % 2 == 0, message: "${gpus} GPUs are odd"}
- {check: "word != kind", message: "word and kind are the same"}
object: {apiVersion: batch/v1, kind: Job, v: "${[dyn(image), args, env, gpus, rate, mem, word, on, kind]}"}
`)
	good := func(more template.Values) template.Values {
		v := template.Values{"image": "i", "args": []string{"a"}}
		maps.Copy(v, more)
		return v
	}
	for _, c := range []struct {
		values template.Values
		want   []string
	}{
		{nil, []string{"parameter image: a value is required", "parameter args: a value is required"}},
		{template.Values{"image": "  ", "args": []any{}}, []string{"parameter image: is empty", "parameter args: is empty"}},
		{template.Values{"image": 7, "args": []any{7}, "x\x1b": 1, "y": 2}, []string{
			`: there is no parameter "x\x1b"; there are image, args`, `: there is no parameter "y"`, "parameter image: must be a text", "parameter args: must be a list of texts",
		}},
		{good(template.Values{"args": []string{"a", "b", "c"}, "env": map[string]any{"a": "x", "b": "y"}}), []string{"parameter args: has 3 items; the most is 2", "parameter env: has 2 entries; the most is 1"}},
		{good(template.Values{"args": []string{"a", "B"}, "env": object{"a": "X"}}), []string{`parameter args: item 2 is "B", which does not match [a-z]+`, `parameter env: entry "a" is "X"`}},
		{good(template.Values{"env": map[string]string{"": "x"}}), []string{`parameter env: has the name "", which is empty`}},
		{good(template.Values{"env": []string{"a=b"}}), []string{"parameter env: must be a mapping"}},
		{good(template.Values{"gpus": 9, "rate": 0.25, "mem": "17Gi"}), []string{"parameter gpus: is 9; the most is 8", "parameter rate: is 0.25; the least is 0.5", "parameter mem: is 17Gi; the most is 16Gi"}},
		{good(template.Values{"gpus": 1.5, "rate": "x", "mem": "512Mi"}), []string{"parameter gpus: must be a whole number", "parameter rate: must be a number", "parameter mem: is 512Mi; the least is 1Gi"}},
		{good(template.Values{"gpus": "4", "mem": strings.Repeat("9", 70), "on": "true"}), []string{"parameter gpus: must be a whole number", "parameter mem: must be a quantity", "parameter on: must be true or false"}},
		{good(template.Values{"word": "a1", "kind": "z"}), []string{`parameter word: is "a1", which does not match`, `parameter kind: must be one of x, y, not "z"`}},
		{good(template.Values{"word": "abcd"}), []string{"parameter word: has 4 characters; the most is 3"}},
		{good(template.Values{"word": "a\n"}), []string{`parameter word: is "a\n", which does not match`}},
		{template.Values{"image": "a\x00", "args": []string{"\xff"}}, []string{`parameter image: has control characters, or is not UTF-8: "a\x00"`, "parameter args: item 1 has control"}},
		{template.Values{"image": strings.Repeat("x", 65<<10), "args": []string{"a"}}, []string{"parameter image: has 66560 bytes; at most 65536 are allowed"}},
		{good(template.Values{"gpus": 3, "word": "x", "kind": "x"}), []string{"parameter gpus: 3 GPUs are odd", "template t: word and kind are the same"}},
	} {
		_, err := tmpl.Render(c.values)
		if err == nil {
			t.Errorf("%v: no mistake", c.values)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in\n%v", want, err)
			}
		}
		if n := strings.Count(err.Error(), "\n") + 1; n != len(c.want) {
			t.Errorf("%d mistakes, want %d:\n%v", n, len(c.want), err)
		}
	}
	big := map[string]string{}
	for i := range 9 {
		big[fmt.Sprint(i)] = strings.Repeat("x", 60<<10)
	}
	_, err := parse(t, top+"parameters: [{name: a, type: map}]\n"+body).Render(template.Values{"a": big})
	if err == nil || !strings.Contains(err.Error(), "the values have 552969 bytes; at most 524288 are allowed") {
		t.Errorf("got error %v, want one with %q", err, "the values have 552969 bytes; at most 524288 are allowed")
	}
}
