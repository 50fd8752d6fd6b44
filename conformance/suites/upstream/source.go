package upstream

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is a test file: its text and its syntax tree.
type source struct {
	name string
	text []byte
	set  *token.FileSet
	file *ast.File
}

func parse(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{name, text, set, file}, nil
}

// tests returns the names of the tests and runnable examples of a file.
func (s *source) tests() (names []string) {
	for _, decl := range s.file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name == "TestMain" {
			continue
		}
		if strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Example") && s.hasOutput(f) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// hasOutput reports whether an example runs: it has an output comment.
func (s *source) hasOutput(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(s.file.Comments, func(c *ast.CommentGroup) bool {
		return f.Body.Pos() < c.Pos() && c.End() < f.Body.End() && strings.HasPrefix(c.Text(), "Output:")
	})
}

// read returns the test files of a package in the module cache.
func (s Suite) read(root string) ([]*source, error) {
	dir, err := moduleDir(root, s.Module)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(s.Package), "*_test.go"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s/%s has no tests: %w", s.Module, s.Package, err)
	}
	var all []*source
	for _, path := range paths {
		if s.Without[filepath.Base(path)] != "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		parsed, err := parse(filepath.Base(path), text)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(parsed.file.Name.Name, "_test") != s.Inside {
			all = append(all, parsed)
		}
	}
	return all, nil
}

// moduleDir returns the folder of a module in the module cache.
func moduleDir(root, module string) (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// verdicts returns the names of the tests that run, after comparing the table with the
// files.
func (s Suite) verdicts(files []*source, e Engine) (runs map[string]bool, broken []string) {
	runs = map[string]bool{}
	for _, row := range s.Files {
		if !slices.ContainsFunc(files, func(f *source) bool { return f.name == row.Name }) {
			broken = append(broken, fmt.Sprintf("%s: %s is in the table, but not in the package", s.Name, row.Name))
		}
	}
	for _, file := range files {
		at := slices.IndexFunc(s.Files, func(row File) bool { return row.Name == file.name })
		tests := file.tests()
		if at < 0 {
			if len(tests) > 0 {
				broken = append(broken, fmt.Sprintf("%s: %s is not in the table, and has %q", s.Name, file.name, tests))
			}
			continue
		}
		verdicts, err := s.Files[at].verdicts(e)
		if err != nil {
			broken = append(broken, err.Error())
		}
		for _, test := range tests {
			run, known := verdicts[test]
			if !known {
				broken = append(broken, fmt.Sprintf("%s: %s has %s, which is not in the table", s.Name, file.name, test))
			}
			runs[test] = run
			delete(verdicts, test)
		}
		for test := range verdicts {
			broken = append(broken, fmt.Sprintf("%s: the table has %s, which is not in %s", s.Name, test, file.name))
		}
	}
	return runs, broken
}
