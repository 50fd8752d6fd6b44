package upstream

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// Copy is a generated package of tests.
type Copy struct {
	Suite  Suite
	Engine Engine
	Dir    string   // relative to the root of the module
	Tests  []string // tests to run, sorted
	// Passed and Skipped count the specs of the last run.
	Passed, Skipped int
	// Shaken are the shaky tests that failed and were repeated.
	Shaken []string
}

// Generate writes the tests of a suite that run with an engine to a folder of root, the
// root of this module.
//
// Errors: the table does not match the tests, or the copy does not compile.
func (s Suite) Generate(root string, e Engine) (*Copy, error) {
	files, err := s.read(root)
	if err != nil {
		return nil, err
	}
	runs, broken := s.verdicts(files, e)
	c := &Copy{Suite: s, Engine: e, Dir: path.Join(".build", string(e), s.Name)}
	dir := filepath.Join(root, filepath.FromSlash(c.Dir))
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	r := rewriter{s, path.Join(s.Module, s.Package), e}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file.name), r.rewrite(file), 0o644); err != nil {
			return nil, err
		}
	}
	if err := s.copyData(root, dir); err != nil {
		return nil, err
	}
	if s.Stubs != "" {
		if err := os.WriteFile(filepath.Join(dir, "stubs_test.go"), []byte(s.Stubs), 0o644); err != nil {
			return nil, err
		}
	}
	g, err := load(root, c.Dir)
	if err != nil {
		return nil, err
	}
	kept, more := s.prune(g, runs)
	if broken = append(broken, more...); len(broken) > 0 {
		return nil, errors.Join(asErrors(broken)...)
	}
	for test, run := range runs {
		if run {
			c.Tests = append(c.Tests, test)
		}
	}
	slices.Sort(c.Tests)
	return c, g.write(dir, r.target(r.own), kept)
}

// copyData copies the folder testdata, if there is one.
func (s Suite) copyData(root, dir string) error {
	from, err := moduleDir(root, s.Module)
	if err != nil {
		return err
	}
	data := filepath.Join(from, filepath.FromSlash(s.Package), "testdata")
	if _, err := os.Stat(data); err != nil {
		return nil
	}
	return os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(data))
}

func asErrors(all []string) (errs []error) {
	for _, text := range all {
		errs = append(errs, errors.New(text))
	}
	return errs
}

// prune returns the declarations that the tests need, and errors of the table about
// internals.
func (s Suite) prune(g *graph, runs map[string]bool) (kept map[ast.Decl]bool, broken []string) {
	kept = map[ast.Decl]bool{}
	for _, decl := range g.always(s.Specs) {
		if why := g.reach(decl, kept); why != "" {
			broken = append(broken, fmt.Sprintf("%s: TestMain, init or a spec: %s", s.Name, why))
		}
	}
	for test, run := range runs {
		if !run {
			continue
		}
		tried := map[ast.Decl]bool{}
		if why := g.reach(g.test(test), tried); why != "" {
			broken = append(broken, fmt.Sprintf("%s: the table runs %s, but: %s", s.Name, test, why))
			continue
		}
		for decl := range tried {
			kept[decl] = true
		}
	}
	for _, row := range s.Files {
		for _, test := range row.Internals {
			if decl := g.test(test); decl != nil && g.reachable(decl, nil) {
				broken = append(broken, fmt.Sprintf("%s: %s uses no internals: run it", s.Name, test))
			}
		}
	}
	return kept, broken
}

// write writes the files of the copy again, with only the kept declarations. own is the
// import path whose names the files use unqualified. Generated code is formatted for the
// linters.
func (g *graph) write(dir, own string, kept map[ast.Decl]bool) error {
	for _, file := range g.pkg.Syntax {
		name := filepath.Join(dir, filepath.Base(g.pkg.Fset.Position(file.Pos()).Filename))
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s := &source{name, text, g.pkg.Fset, file}
		var edits []edit
		some := false
		for _, decl := range file.Decls {
			if isImport(decl) || kept[decl] {
				some = some || kept[decl]
				continue
			}
			from := decl.Pos()
			if doc := docOf(decl); doc != nil {
				from = doc.Pos()
			}
			edits = append(edits, s.remove(from, decl.End()))
		}
		if !some {
			if err := os.Remove(name); err != nil {
				return err
			}
			continue
		}
		edits = append(edits, g.unusedImports(s, own, kept)...)
		clean, err := format.Source(append([]byte("// Code generated from tests in the module cache. DO NOT EDIT.\n\n"), s.apply(edits)...))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(name, clean, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func docOf(decl ast.Decl) *ast.CommentGroup {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// unusedImports returns the edits that remove the imports that the kept declarations do
// not use.
func (g *graph) unusedImports(s *source, own string, kept map[ast.Decl]bool) (edits []edit) {
	used := map[types.Object]bool{}
	dot := false
	for _, decl := range s.file.Decls {
		if !kept[decl] {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				object := g.pkg.TypesInfo.Uses[id]
				used[object] = true
				dot = dot || object != nil && object.Pkg() != nil && object.Pkg().Path() == own && object.Parent() == object.Pkg().Scope()
			}
			return true
		})
	}
	for _, decl := range s.file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		for _, spec := range imports.Specs {
			spec := spec.(*ast.ImportSpec)
			if g.needs(spec, own, used, dot) {
				continue
			}
			if imports.Lparen.IsValid() {
				edits = append(edits, s.remove(spec.Pos(), spec.End()))
				continue
			}
			// Semicolons join our imports to the line of the package clause, and none may
			// remain.
			edits = append(edits, edit{imports.Pos(), imports.End(), `import _ "unsafe"`})
		}
	}
	return edits
}

func (g *graph) needs(spec *ast.ImportSpec, own string, used map[types.Object]bool, dot bool) bool {
	object := g.pkg.TypesInfo.Implicits[spec]
	if spec.Name != nil {
		switch spec.Name.Name {
		case "_":
			return true
		case ".":
			imported, err := strconv.Unquote(spec.Path.Value)
			return err != nil || imported != own || dot
		}
		object = g.pkg.TypesInfo.Defs[spec.Name]
	}
	return used[object]
}
