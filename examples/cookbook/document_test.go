package cookbook

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

var update = flag.Bool("update", false, "write the functions into docs/cookbook.md")

// block matches a block of code that begins with a function.
var block = regexp.MustCompile("(?s)```go\nfunc (\\w+)[(\\[].*?\n```\n")

// TestDocument: docs/cookbook.md has the functions of this package as they are, each once,
// and an Example or a test runs each.
func TestDocument(t *testing.T) {
	testinput.Uncached(t)
	functions, run := sources(t)
	const path = "../../docs/cookbook.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	now := block.ReplaceAllStringFunc(string(text), func(old string) string {
		name := block.FindStringSubmatch(old)[1]
		source, exists := functions[name]
		switch {
		case !exists:
			t.Errorf("docs/cookbook.md has the function %s, which this package does not have", name)
			return old
		case seen[name]:
			t.Errorf("docs/cookbook.md has the function %s twice", name)
		case !run[name] && name != "program":
			t.Errorf("no Example or test runs the recipe %s", name)
		}
		seen[name] = true
		return "```go\n" + source + "\n```\n"
	})
	for name := range run {
		if _, recipe := functions[name]; recipe && !seen[name] && !strings.HasPrefix(name, "Test") {
			t.Errorf("docs/cookbook.md lacks the recipe %s", name)
		}
	}
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	case now != string(text):
		t.Error("docs/cookbook.md differs from this package; run `go test ./examples/cookbook -run TestDocument -update`")
	}
}

// sources returns the functions of this package by name, and the names of the recipes that
// run: Example_x runs x, and a test runs itself.
func sources(t *testing.T) (functions map[string]string, run map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	functions, run = map[string]string{}, map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			functions[f.Name.Name] = string(text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset])
			if name, isExample := strings.CutPrefix(f.Name.Name, "Example_"); isExample {
				run[name] = true
			}
			if strings.HasPrefix(f.Name.Name, "Test") {
				run[f.Name.Name] = true
			}
		}
	}
	// One Example runs the three parts of a recorder, and many use running.
	run["readHistory"], run["actOnEachTransition"], run["running"] = true, true, true
	return functions, run
}
