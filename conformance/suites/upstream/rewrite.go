package upstream

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// swapped is the path of the constructors that copied tests call, one package for each of
// client-go's.
const swapped = "github.com/vedette-io/vedette/conformance/suites/swap/"

// edit replaces a part of a text.
type edit struct {
	from, to token.Pos
	text     string
}

// apply returns the text of a file with edits. Line numbers stay the same: an edit must
// keep the number of line breaks.
func (s *source) apply(edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		from, to := s.set.Position(e.from).Offset, s.set.Position(e.to).Offset
		if from < at {
			continue // inside an earlier edit
		}
		out.Write(s.text[at:from])
		out.WriteString(e.text)
		at = to
	}
	out.Write(s.text[at:])
	return out.Bytes()
}

// remove returns an edit that removes a part except its line breaks.
func (s *source) remove(from, to token.Pos) edit {
	lines := s.set.Position(to).Line - s.set.Position(from).Line
	return edit{from, to, string(bytes.Repeat([]byte{'\n'}, lines))}
}

// rewriter changes the files of a suite for an engine.
type rewriter struct {
	suite Suite
	own   string // the import path of the package
	e     Engine
}

// rewrite returns the text of a file with its package clause, imports, casts and
// constructors changed.
func (r rewriter) rewrite(s *source) []byte {
	imports, edits := r.imports(s)
	needs := map[string]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if assertion, ok := n.(*ast.TypeAssertExpr); ok {
			edits = append(edits, r.cast(s, assertion)...)
		}
		if e, from := r.constructor(n, imports); from != "" {
			edits, needs[from] = append(edits, e), true
		}
		return true
	})
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && r.e == Ours && r.suite.Instead[f.Name.Name] != "" {
			edits = append(edits, edit{f.Body.Pos(), f.Body.End(), r.suite.Instead[f.Name.Name]})
		}
	}
	var clause strings.Builder
	clause.WriteString(s.file.Name.Name)
	if r.suite.Inside {
		fmt.Fprintf(&clause, "; import . %q", r.target(r.own))
	}
	for name := range needs {
		fmt.Fprintf(&clause, "; import swap%s %q", path.Base(name), swapped+name)
	}
	edits = append(edits, edit{s.file.Name.Pos(), s.file.Name.End(), clause.String()})
	return s.apply(edits)
}

// target returns the import path that the engine uses instead of another.
func (r rewriter) target(path string) string {
	if mirror, ok := r.suite.Mirrors[path]; ok && r.e == Ours {
		return mirror
	}
	return path
}

// imports returns the import paths of a file by their names, and the edits of those that
// a mirror replaces.
func (r rewriter) imports(s *source) (map[string]string, []edit) {
	names, edits := map[string]string{}, []edit(nil)
	for _, spec := range s.file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
		if target := r.target(imported); target != imported {
			edits = append(edits, edit{spec.Pos(), spec.End(), name + " " + strconv.Quote(target)})
		}
	}
	return names, edits
}

func (r rewriter) cast(s *source, n *ast.TypeAssertExpr) []edit {
	if n.Type == nil {
		return nil
	}
	from, to := s.set.Position(n.Type.Pos()).Offset, s.set.Position(n.Type.End()).Offset
	if exported, ok := r.suite.Casts[string(s.text[from:to])]; ok {
		return []edit{{n.Type.Pos(), n.Type.End(), exported}}
	}
	return nil
}

// constructor returns the edit of a use of a function that a package below swap replaces,
// and the package.
func (r rewriter) constructor(n ast.Node, imports map[string]string) (e edit, from string) {
	var own, name string
	switch n := n.(type) {
	case *ast.CallExpr:
		fun := n.Fun
		if generic, ok := fun.(*ast.IndexExpr); ok {
			fun = generic.X
		}
		if f, ok := fun.(*ast.Ident); ok && r.suite.Inside {
			own, name = r.own, f.Name
		}
		e.from, e.to = fun.Pos(), fun.End()
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			own, name = imports[x.Name], n.Sel.Name
		}
		e.from, e.to = n.Pos(), n.End()
	}
	for _, swap := range r.suite.Swapped {
		if swap.Path == own && slices.Contains(swap.Names, name) {
			e.text = "swap" + path.Base(swap.Package) + "." + name
			return e, swap.Package
		}
	}
	return edit{}, ""
}
