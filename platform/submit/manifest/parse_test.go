package manifest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

const head = "apiVersion: v1\nkind: Pod\n"

type object = map[string]any

// TestParse: files have the same meaning as for kubectl.
func TestParse(t *testing.T) {
	pod := func(more object) object {
		all := object{"apiVersion": "v1", "kind": "Pod"}
		maps.Copy(all, more)
		return all
	}
	for _, c := range []struct {
		name, text string
		want       []object
	}{
		{"scalars", head + "a: [1, -2, 0x10, 0644, 1.5, 1e3, true, no, On, ~, '1', \"no\", 2026-01-01, x, !!str 7]\n", []object{pod(object{
			"a": []any{int64(1), int64(-2), int64(16), int64(420), 1.5, 1000.0, true, false, true, nil, "1", "no", "2026-01-01", "x", "7"},
		})}},
		{"names that are no texts", head + "1: a\ntrue: b\n", []object{pod(object{"1": "a", "true": "b"})}},
		{"several documents", "# first\n---\n" + head + "---\n# nothing\n--- # third\n" + head + "a: |\n  ---\n  x\n...\n", []object{pod(nil), pod(object{"a": "---\nx\n"})}},
		{"carriage returns", "apiVersion: v1\r\nkind: Pod\r\n---\r\napiVersion: v1\r\nkind: Pod\r\n", []object{pod(nil), pod(nil)}},
		{"a list", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- {apiVersion: v1, kind: Pod, a: b}\n", []object{pod(nil), pod(object{"a": "b"})}},
		{"references", head + "a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, c: 3}\nf: {<<: [*x, {b: 9, g: 4}]}\n", []object{pod(object{
			"a": object{"b": int64(1), "c": int64(2)}, "d": object{"b": int64(1), "c": int64(2)}, "e": object{"b": int64(1), "c": int64(3)},
			"f": object{"b": int64(1), "c": int64(2), "g": int64(4)},
		})}},
		{"JSON with tabs and surrogates", "{\n\t\"apiVersion\":\t\"v1\",\n\t\"kind\": \"Pod\", \"a\": \"\\ud83d\\ude00\\t\\\\ud83d\\/\"\n}", []object{pod(object{"a": "😀\t\\ud83d/"})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := manifest.Parse(t.Context(), "f", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []object
			for _, m := range all {
				got = append(got, m.Object.Object)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("got a difference (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMistakes: all mistakes of a file are found, each with its line.
func TestMistakes(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c < 'i'; c++ {
		bomb.WriteString(fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10)))
	}
	for _, c := range []struct {
		name, text string
		want       []string // each begins a line
	}{
		{"nothing", "", []string{"f: the file has no object"}},
		{"comments", "# x\n---\n", []string{"f: the file has no object"}},
		{"no object", "- a\n", []string{"f:1: an object must be a mapping"}},
		{"a text", "x\n", []string{"f:1: an object must be a mapping"}},
		{"no kind", "\napiVersion: v1\n", []string{"f:2: the object has no kind"}},
		{"a kind that is no text", "apiVersion: v1\nkind: 7\n", []string{"f:2: the object has no kind"}},
		{"two tabs, one of them after a document", head + "a:\n\tb: 1\n---\n" + head + "\n\tc: 2\n", []string{"f:4: invalid YAML: found", "f:9: invalid YAML: found"}},
		{"two mistakes of syntax and one field twice", head + "a: 1\na: 2\nb: c: d\ne:\n  f: 1\n g: 2\n", []string{
			`f:4: the field "a" is in line 3 already`, "f:5: invalid YAML: mapping values", "f:8: invalid YAML: did not find expected key",
		}},
		{"a mistake that is not of one line", head + "a: [\nb: 2\n", []string{"f:4: invalid YAML: did not find expected ',' or ']'"}},
		{"no end of a text", head + "a: \"x\nb: 2\n", []string{"f:3: invalid YAML: found unexpected end of stream"}},
		{"each document", "kind: Pod\n---\napiVersion: v1\n---\n" + head + "x: 1\nx: 2\n", []string{"f:1: the object has no apiVersion", "f:3: the object has no kind", `f:8: the field "x" is in line 7`}},
		{"items", "apiVersion: v1\nkind: List\nitems:\n- 7\n- {kind: Pod}\n", []string{"f:4: an object must be a mapping", "f:5: the object has no apiVersion"}},
		{"numbers", head + "a: .inf\nb: .nan\nc: !!binary eA==\n", []string{`f:3: ".inf" is no number of JSON`, `f:4: ".nan" is no number`, `f:5: values with the tag "!!binary"`}},
		{"a field that is a list", head + "? [a]\n: b\n", []string{"f:3: the name of a field must be a text"}},
		{"a field without a name", head + "~: b\n", []string{"f:3: the name of a field cannot be null"}},
		{"a merge of no mapping", head + "a: {<<: [1]}\n", []string{"f:3: << must name a mapping"}},
		{"a bomb", head + bomb.String(), []string{"f:3: values are nested more than 100 deep, or are more than 500000"}},
		{"a circle", head + "a: &a [*a]\n", []string{"f:3: values are nested more than 100 deep"}},
		{"deep", head + "a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), []string{"f:3: values are nested more than 100 deep"}},
		{"control characters", head + "a: \x1b[2J\n", []string{"f:3: invalid YAML: control characters are not allowed"}},
		{"3 MB", head + "a: " + strings.Repeat("x", 3<<20), []string{"f:1: the object has 3145767 bytes; the API server stores at most 1572864. Put large data"}},
		{"17 MB", strings.Repeat("#", 17<<20), []string{"f: the file has 17825792 bytes; at most 16777216 are read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := manifest.Parse(t.Context(), "f", []byte(c.text))
			if err == nil {
				t.Fatalf("no mistake in %d objects", len(all))
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(c.want) {
				t.Fatalf("%d mistakes, want %d:\n%v", len(got), len(c.want), err)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("%q, want %q", got[i], want)
				}
			}
		})
	}
}

// FuzzParse: no input breaks the parser. A parsed object equals kubectl's, and each of its
// fields has a line of the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{head, head + "a: [1, 0o7, 1_000, 0b1, 1:30, +1, .5, 0x_1, y, N]\n", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n\t\"x\": \"\\ud800\"}", head + "a: &x {b: *x}\n", "---\n---\n" + head, head + "n: 1\n0x10: 1\n1.50: 1\n2001-01-01: 1\n\"y\": 1\n", "apiVersion: v1\rkind: P", "apiVersion: v1\u0085kind: P", "apiVersion: v1\u2028kind: P"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := manifest.Parse(t.Context(), "f", text)
		if err != nil {
			return
		}
		for _, m := range all {
			each(m.Object.Object, "", func(path string) {
				if line, ok := m.Line(path); !ok || line > 1+breaks(text) {
					t.Errorf("%s is in line %d of\n%s", path, line, text)
				}
			})
		}
		var theirs object
		if len(all) != 1 || strings.Contains(string(text), "---") || yaml.Unmarshal(text, &theirs) != nil || theirs["kind"] == "List" {
			return
		}
		ours, err := json.Marshal(all[0].Object.Object)
		if err != nil {
			t.Fatal(err)
		}
		var read object
		if err := json.Unmarshal(ours, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(theirs, read); diff != "" {
			t.Errorf("%q differs from what kubectl reads:\n%s", text, diff)
		}
	})
}

// breaks counts the line breaks of a text. YAML 1.1 has five besides CR LF.
func breaks(text []byte) int {
	n := strings.Count(string(text), "\r\n")
	for _, r := range strings.ReplaceAll(string(text), "\r\n", "") {
		if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
			n++
		}
	}
	return n
}

// each calls visit with the path of each field.
func each(v any, path string, visit func(path string)) {
	visit(path)
	switch v := v.(type) {
	case object:
		for name, below := range v {
			each(below, path+fmt.Sprintf("[%q]", name), visit)
		}
	case []any:
		for i, below := range v {
			each(below, fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// TestManyDocuments: the time for a file grows linearly, and each mistake has its line in
// the file.
func TestManyDocuments(t *testing.T) {
	took := func(documents int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := manifest.Parse(t.Context(), "a.yaml", []byte(strings.Repeat("---\n", documents)+"---\nkind: Job\nkind: Job\n"))
		runtime.ReadMemStats(&after)
		if want := fmt.Sprintf(`a.yaml:%d: the field "kind" is in line %d already`, documents+3, documents+2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d documents: %v, want %s", documents, err, want)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := took(2000), took(8000); many > 6*few {
		t.Errorf("2000 documents took %d bytes, and 8000 took %d", few, many)
	}
}

// TestManyMistakes: a file with a mistake in each line has a bounded error with the number
// of mistakes.
func TestManyMistakes(t *testing.T) {
	_, err := manifest.Parse(t.Context(), "a.yaml", []byte(strings.Repeat("kind: Job\n", 10_000)))
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 201 || !strings.HasSuffix(err.Error(), "a.yaml: 9799 further mistakes") {
		t.Errorf("got %d lines that end with %s, want 201 with the number of the further mistakes", lines, err.Error()[max(0, len(err.Error())-100):])
	}
}

// TestParsingIsBounded: a large file with mistakes at its end is decoded few times, and its first
// mistake has the right line. All mistakes of a small file are reported.
func TestParsingIsBounded(t *testing.T) {
	const row = "- {b: [1, 2, 3], c: d}\n"
	var mistakes strings.Builder
	for n := range 9 {
		fmt.Fprintf(&mistakes, "e%d: a: b\nf%d: c\n", n, n)
	}
	parse := func(rows int, end string) (allocated uint64, err error) {
		text := []byte(head + "a:\n" + strings.Repeat(row, rows) + end)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = manifest.Parse(t.Context(), "f", text)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	if _, err := parse(10, mistakes.String()); err == nil || strings.Count(err.Error(), "invalid YAML") != 9 {
		t.Errorf("a small file: got %v, want nine mistakes", err)
	}
	const rows = 20_000 // an input: the search may decode nine times as much
	once, err := parse(rows, "")
	if err != nil {
		t.Fatal(err)
	}
	often, err := parse(rows, mistakes.String())
	if want := fmt.Sprintf("f:%d: invalid YAML", rows+4); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a large file: got %.300v, want %s alone", err, want)
	}
	if often > 12*once {
		t.Errorf("a file with mistakes took %d bytes, and one without took %d", often, once)
	}
}

// ending is a context that ends when it has been asked for its error some times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestParsingEnds: the end of the context ends the decoding of a file, the search for its mistakes,
// and the conversion of its values.
func TestParsingEnds(t *testing.T) {
	long := strings.Repeat("- {b: [1, 2, 3], c: d}\n", 500)
	for _, text := range []string{head + "a:\n" + long, head + "a:\n" + long + "b: c: d\n"} {
		all := &ending{t.Context(), 1 << 40}
		_, _ = manifest.Parse(all, "f", []byte(text)) // counts how often the context is asked
		asked := 1<<40 - all.left
		if asked < 20 {
			t.Errorf("the context is asked %d times, want once for each piece", asked)
		}
		for left := 0; left < asked; left += max(asked/20, 1) {
			ctx := &ending{t.Context(), left}
			if _, err := manifest.Parse(ctx, "f", []byte(text)); err == nil || strings.Contains(err.Error(), "invalid YAML") || ctx.left < -20 {
				t.Fatalf("at the end of the context after %d of %d questions: got %v and asked %d more, want its cause", left, asked, err, -ctx.left)
			}
		}
	}
}
