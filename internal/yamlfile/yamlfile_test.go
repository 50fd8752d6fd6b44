package yamlfile_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "a: 1\nb: [", "f:2: invalid YAML"},
		{"a tab", "a:\n\tb: 1", "f:2: invalid YAML"},
		{"two documents", "a: 1\n---\nb: 2", "f:2: a second document"},
		{"syntax behind the first document", "a: 1\n---\nb: [", "invalid YAML"},
		{"size", strings.Repeat("#", yamlfile.MaxSize+1), "refused"},
		{"a reference", "a: &x 1\nb: *x", "f:2: a reference (a text that begins with *) is not allowed"},
		{"a reference to nothing", "a: *hunter2", "a reference (a text that begins with *) is not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _, err := yamlfile.Parse("f", []byte(c.text))
			if err == nil {
				err = r.Err()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "none")
	if _, _, err := yamlfile.Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one with %q", err, path)
	}
}

func TestEmpty(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "~"} {
		if r, root, err := yamlfile.Parse("f", []byte(text)); err != nil || root != nil || r.Err() != nil {
			t.Errorf("%q: got %v and error %v, want no document and no error", text, root, err)
		}
	}
}

// TestMistakes: all mistakes are found, each with its line, and valid values are read.
func TestMistakes(t *testing.T) {
	text := `one: word
many: [a, b]
single: a
yes: true
one: again
other: 1
text: {a: b}
truth: "true"
words: [a, [b], ""]
list: x
nothing:
`
	r, root, err := yamlfile.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f := r.Fields(root, "the file", "one", "many", "single", "yes", "text", "truth", "words", "list", "nothing")
	got := map[string]any{
		"many": r.Words(f["many"], "many"), "single": r.Words(f["single"], "single"), "yes": r.Truth(f["yes"], "yes"),
		"nothing": r.Word(f["nothing"], "nothing"), "at": r.At(f["yes"]), "absent": r.Words(f["absent"], "absent"),
	}
	want := map[string]any{"many": []string{"a", "b"}, "single": []string{"a"}, "yes": true, "nothing": "", "at": "f:4", "absent": []string(nil)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	r.Word(f["text"], "text")
	r.Truth(f["truth"], "truth")
	r.Words(f["words"], "words")
	r.List(f["list"], 1, "list")
	r.List(nil, 12, "absent")
	r.Fields(f["list"], "it", "a", "b")
	wantMistakes := `f:5: the file has "one" twice
f:6: the file has no field "other"; it has one, many, single, yes, text, truth, words, list, nothing
f:7: text must be a word
f:8: truth must be true or false
f:9: each of words must be a word
f:9: words has an empty item
f:10: list must be a list
f:10: it must be a mapping with a, b
f:12: absent is missing`
	if diff := cmp.Diff(wantMistakes, r.Err().Error()); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
}
