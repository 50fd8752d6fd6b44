package objectyaml

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
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

// TestHostileText: each text comes back, and no control character is written as it is.
func TestHostileText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{"a": rapid.String().Draw(t, "text"), "b": rapid.SampledFrom([]string{"\x1b[31m", "\u0085", "\ufeff", "- x: y\n", "\uffff", "null", "\u2028", "a: |\n  b\n"}).Draw(t, "hostile")}
		text, err := Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q", text)
		}
		var got map[string]string
		if err := yaml.Unmarshal([]byte(text), &got); err != nil || got["a"] != want["a"] || got["b"] != want["b"] {
			t.Errorf("%q came back as %q, %v", want, got, err)
		}
	})
}
