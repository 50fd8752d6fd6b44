package policy

import (
	"os"
	"testing"
	"testing/fstest"
)

func TestExamples(t *testing.T) {
	broken, err := checkExamples(os.DirFS("../.."))
	report(t, broken, err)
}

func TestMissingExamples(t *testing.T) {
	const link = "// [" + module + "/a]"
	for name, c := range map[string]struct {
		files map[string]string
		want  int
	}{
		"an Example that runs":  {map[string]string{"doc.go": link, "a/a_test.go": "func Example() {\n// Output: 1\n}"}, 0},
		"one that does not run": {map[string]string{"doc.go": link, "a/a_test.go": "func Example() {}"}, 1},
		"no Example":            {map[string]string{"doc.go": link, "a/a_test.go": "func TestA() {}"}, 1},
		"no package":            {map[string]string{"doc.go": link}, 1},
		"two links":             {map[string]string{"doc.go": link + link, "a/a_test.go": "func ExampleA_b() {\n// Output: 1\n}"}, 1},
		"no link":               {map[string]string{"doc.go": "// none"}, 1},
	} {
		tree := fstest.MapFS{}
		for file, text := range c.files {
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if broken, err := checkExamples(tree); err != nil || len(broken) != c.want {
			t.Errorf("%s: got %q and %v, want %d", name, broken, err, c.want)
		}
	}
}
