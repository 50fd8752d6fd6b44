package manifest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

const job = `apiVersion: batch/v1
kind: Job
metadata:
  labels:
    a.b/c: x
    a: y
spec:
  template:
    spec:
      containers:
      - name: main
        image: x
        env:
        - {name: A, value: "1"}
        -
          name: B
      volumes: [{name: v}]
`

// TestLine: an existing field has its own line, and any other field the line of its
// nearest parent.
func TestLine(t *testing.T) {
	all, err := manifest.Parse(t.Context(), "f", []byte(job))
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{
		"": 1, "<nil>": 1, "status": 1, "kind": 2, "metadata": 3, "metadata.name": 3, "metadata.labels": 4, "metadata.labels[a.b/c]": 5, `metadata.labels["a.b/c"]`: 5,
		"metadata.labels.a.b/c": 5, "metadata.labels.a": 6, "metadata.labels[a]": 6, "metadata.labels.a.b": 6, "metadata.labels[x/y]": 4, ".spec.template": 8,
		"spec.template.spec.containers[0]": 11, "spec.template.spec.containers[0].image": 12, "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]": 11,
		"spec.template.spec.containers[0].env[0].value": 14, "spec.template.spec.containers[0].env[1].name": 16, "spec.template.spec.containers[7].image": 10,
		"spec.template.spec.containers[-1]": 10, "spec.template.spec.containers[x]": 10, "spec.template.spec.containers[0": 11, "spec.template.spec.volumes[0].name": 17,
		"spec.template.spec.containers.image": 10, "spec..template": 7, "[": 1, "]": 1, "spec.template.spec.containers[99999999999999999999]": 10,
	} {
		if line, ok := all[0].Line(field); line != want || !ok {
			t.Errorf("%q is in line %d, want %d", field, line, want)
		}
	}
	m, err := manifest.New("server", object{"apiVersion": "v1", "kind": "Pod"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if line, ok := m.Line("kind"); ok {
		t.Errorf("an object without places is in line %d", line)
	}
}

// TestOrigin: a value belongs to the parameter of its nearest parent that has one.
func TestOrigin(t *testing.T) {
	root := &manifest.Place{Fields: map[string]*manifest.Place{"spec": {Line: 3, Fields: map[string]*manifest.Place{"command": {Line: 4, Parameter: "command"}}}}}
	m, err := manifest.New("template x", object{"apiVersion": "v1", "kind": "Pod", "spec": object{"command": []any{"a"}}}, root)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"spec": "", "spec.command": "command", "spec.command[0]": "command", "kind": ""} {
		if name, ok := m.Origin(field); name != want || ok != (want != "") {
			t.Errorf("%s comes from %q, want %q", field, name, want)
		}
	}
	if _, err := manifest.New("template x", object{"kind": "Pod"}, root); err == nil || err.Error() != "template x: the object has no apiVersion" {
		t.Errorf("New: got error %v, want %s", err, "template x: the object has no apiVersion")
	}
}

// writer writes YAML, one value per line, and records the line of each path.
type writer struct {
	text  strings.Builder
	lines map[string]int
	line  int
}

func (w *writer) write(v any, path, indent string) {
	switch v := v.(type) {
	case object:
		for _, name := range sortedNames(v) {
			w.field(fmt.Sprintf("%s[%q]", path, name), indent+fmt.Sprintf("%q:", name), v[name], indent)
		}
	case []any:
		for i, item := range v {
			w.field(fmt.Sprintf("%s[%d]", path, i), indent+"-", item, indent)
		}
	}
}

func (w *writer) field(path, begin string, v any, indent string) {
	w.line++
	w.lines[path] = w.line
	switch v := v.(type) {
	case object, []any:
		if fmt.Sprint(v) == "map[]" || fmt.Sprint(v) == "[]" {
			fmt.Fprintf(&w.text, "%s {}\n", begin)
			return
		}
		if _, list := v.([]any); list && strings.HasSuffix(begin, "-") {
			w.lines[path]++ // an item begins where its text begins
		}
		if _, list := v.([]any); list || strings.HasSuffix(begin, ":") {
			fmt.Fprintf(&w.text, "%s\n", begin)
			w.write(v, path, indent+"  ")
			return
		}
		// An item of a list begins in the line of its first field.
		before := w.text.Len()
		w.line--
		w.write(v, path, indent+"  ")
		text := w.text.String()[before:]
		head := w.text.String()[:before]
		w.text.Reset()
		w.text.WriteString(head + indent + "- " + strings.TrimPrefix(text, indent+"  "))
	default:
		fmt.Fprintf(&w.text, "%s %q\n", begin, v)
	}
}

func sortedNames(o object) []string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// values draws objects of texts.
func values(depth int) *rapid.Generator[any] {
	text := rapid.StringMatching(`[a-zA-Z0-9./\[\]" :#-]{0,6}`).AsAny()
	if depth == 0 {
		return text
	}
	below := rapid.Deferred(func() *rapid.Generator[any] { return values(depth - 1) })
	return rapid.OneOf(text,
		rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9./\[\]" :-]{1,6}`), below, 0, 4), func(m map[string]any) any { return m }),
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(l []any) any { return l }))
}

// TestLinesModel compares lines with those that a YAML writer recorded.
func TestLinesModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		o, ok := values(4).Draw(t, "object").(object)
		if !ok {
			return
		}
		o["apiVersion"], o["kind"] = "v1", "Pod"
		w := &writer{lines: map[string]int{}}
		w.write(o, "", "")
		all, err := manifest.Parse(t.Context(), "f", []byte(w.text.String()))
		if err != nil {
			t.Fatalf("the manifest does not parse: %v in\n%s", err, w.text.String())
		}
		for path, want := range w.lines {
			if line, _ := all[0].Line(path); line != want {
				t.Fatalf("%s is in line %d, want %d of\n%s", path, line, want, w.text.String())
			}
		}
	})
}
