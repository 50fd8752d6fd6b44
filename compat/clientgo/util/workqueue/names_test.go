package workqueue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestNames: a program that changes its import path finds every name.
func TestNames(t *testing.T) {
	testinput.Uncached(t)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "k8s.io/client-go/util/workqueue").Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := names(t, strings.TrimSpace(string(out))), names(t, ".")
	if !slices.Contains(theirs, "func NewTyped") || !slices.Contains(theirs, "type Interface") {
		t.Fatalf("got %q, want a list with func NewTyped and type Interface", theirs)
	}
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range ours {
		if !slices.Contains(theirs, name) {
			t.Errorf("client-go has no %s", name)
		}
	}
}

// names returns what a package exports.
func names(t *testing.T, dir string) (all []string) {
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), dir+"/"+file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			all = append(all, declared(decl)...)
		}
	}
	slices.Sort(all)
	return all
}

func declared(decl ast.Decl) (all []string) {
	if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
		return []string{"func " + f.Name.Name}
	}
	group, ok := decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				all = append(all, "type "+spec.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					all = append(all, group.Tok.String()+" "+name.Name)
				}
			}
		}
	}
	return all
}
