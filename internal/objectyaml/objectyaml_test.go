package objectyaml

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/testinput"
)

func TestMarshal(t *testing.T) {
	text, err := Marshal(map[string]any{"kind": "Job", "apiVersion": "batch/v1", "status": map[string]any{}, "metadata": map[string]any{"name": "a"}, "spec": json.Number("12345678901234567")})
	if want := "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec: 12345678901234567\nstatus: {}\n"; text != want || err != nil {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function was written")
	}
}

// TestHostileText: each text can be read back, and no control character is written
// unescaped.
func TestHostileText(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		want := map[string]string{"a": rapid.String().Draw(t, "text"), "b": rapid.SampledFrom([]string{"\x1b[31m", "\u0085", "\ufeff", "- x: y\n", "\uffff", "\u202ea", "\u009f\u0088", `\x9F\x88\x86\x88\x94`, `\\x9F`, "\ufeff\u202e", "\u061c\\\u2066", "null", "\u2028", "a: |\n  b\n"}).Draw(t, "hostile")}
		text, err := Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' || printable.Deceives(r) }) {
			t.Errorf("got %q, want no control characters", text)
		}
		var got map[string]string
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || got["a"] != want["a"] || got["b"] != want["b"] {
			t.Errorf("%q came back as %q, %v", want, got, err)
		}
	})
}

// TestDeep: a small document that would become a large one is refused, and a document of
// the maximum size of etcd is not.
func TestDeep(t *testing.T) {
	nested := func(deep int, inner any) any {
		for range deep {
			inner = map[string]any{"a": []any{inner}}
		}
		return inner
	}
	for name, inner := range map[string]any{"values": slices.Repeat([]any{1}, 10_000), "words": strings.Repeat("word ", 10_000), "lines": strings.Repeat("a\n", 10_000)} {
		if text, err := Marshal(nested(1000, inner)); !errors.Is(err, ErrLarge) {
			t.Errorf("%s, 1000 deep: got %d bytes and error %v, want ErrLarge", name, len(text), err)
		}
	}
	for name, inner := range map[string]any{"values": slices.Repeat([]any{"word"}, 200_000), "words": strings.Repeat("word ", 300_000), "lines": strings.Repeat("line\n", 300_000)} {
		if _, err := Marshal(nested(6, inner)); err != nil {
			t.Errorf("%s, 6 deep: got %v, want no error", name, err)
		}
	}
}

// TestIndentModel: the actual indentation is within the bound.
func TestIndentModel(t *testing.T) {
	var value func(deep int) *rapid.Generator[any]
	value = func(deep int) *rapid.Generator[any] {
		text := rapid.SampledFrom([]any{"a", "", " ", "\"", "\\", "two words", "{[,", strings.Repeat("many words ", 30), "a\nb\n", 1, nil, true})
		if deep == 0 {
			return text
		}
		below := rapid.Deferred(func() *rapid.Generator[any] { return value(deep - 1) })
		return rapid.OneOf(text, rapid.Map(rapid.SliceOfN(below, 0, 3), func(v []any) any { return v }), rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c d"}), below, 0, 3), func(v map[string]any) any { return v }))
	}
	testinput.Check(t, func(t *rapid.T) {
		document := value(6).Draw(t, "document")
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for line := range strings.Lines(out) {
			got += len(line) - len(strings.TrimLeft(line, " -"))
		}
		if most := indent(text) + 2*len(text); got > most {
			t.Fatalf("%d blanks, at most %d:\n%s\n%s", got, most, text, out)
		}
	})
}
