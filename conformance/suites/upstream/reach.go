package upstream

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// graph has the uses of declarations by other declarations of the copied tests, and the
// declarations that do not compile outside of their package.
type graph struct {
	pkg     *packages.Package
	of      map[types.Object]ast.Decl   // by declared object
	methods map[types.Object][]ast.Decl // by type
	broken  map[ast.Decl]string         // first error in a declaration
}

// newestNames gives the mirrors the names of the client-go that this module requires.
const newestNames = "-tags=clientgo037"

// load checks the types of the copied files, and collects errors instead of failing.
func load(root, dir string) (*graph, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedExportFile,
		Dir: root, Tests: true, BuildFlags: []string{newestNames},
	}, "./"+filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	for _, pkg := range loaded {
		if len(pkg.Syntax) == 0 || strings.HasSuffix(pkg.ID, ".test") {
			continue
		}
		g := &graph{pkg, map[types.Object]ast.Decl{}, map[types.Object][]ast.Decl{}, map[ast.Decl]string{}}
		g.index()
		return g, nil
	}
	// No packages means an error of go.mod: it must have the imports of a copy.
	return nil, fmt.Errorf("%s: no package: %v: does needs_test.go have all imports of the copy?", dir, loaded)
}

func (g *graph) index() {
	info := g.pkg.TypesInfo
	for _, file := range g.pkg.Syntax {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				g.of[info.Defs[d.Name]] = d
				if d.Recv != nil {
					if named := receiver(info, d); named != nil {
						g.methods[named] = append(g.methods[named], d)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, name := range namesOf(spec) {
						g.of[info.Defs[name]] = d
					}
				}
			}
		}
	}
	for _, err := range g.pkg.TypeErrors {
		if decl := g.at(err.Pos); decl != nil && g.broken[decl] == "" {
			g.broken[decl] = err.Msg
		}
	}
}

func namesOf(spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// receiver returns the type of a method.
func receiver(info *types.Info, d *ast.FuncDecl) types.Object {
	var found types.Object
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && found == nil {
			found = info.Uses[id]
		}
		return found == nil
	})
	return found
}

// at returns the declaration around a position.
func (g *graph) at(pos token.Pos) ast.Decl {
	for _, file := range g.pkg.Syntax {
		for _, decl := range file.Decls {
			if decl.Pos() <= pos && pos < decl.End() && !isImport(decl) {
				return decl
			}
		}
	}
	return nil
}

func isImport(decl ast.Decl) bool {
	g, ok := decl.(*ast.GenDecl)
	return ok && g.Tok == token.IMPORT
}

// reach adds a declaration and everything that it uses to a set. It returns the first
// compile error, or "". It omits methods that do not compile if nothing calls them.
func (g *graph) reach(decl ast.Decl, kept map[ast.Decl]bool) (why string) {
	if kept[decl] {
		return ""
	}
	kept[decl] = true
	if why := g.broken[decl]; why != "" {
		return why
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || why != "" {
			return why == ""
		}
		used := g.pkg.TypesInfo.Uses[id]
		if f, ok := used.(*types.Func); ok {
			used = f.Origin()
		}
		if next, ok := g.of[used]; ok && used != nil {
			why = g.reach(next, kept)
		}
		return true
	})
	if why != "" {
		return why
	}
	for object, declares := range g.of {
		if declares != decl {
			continue
		}
		for _, method := range g.methods[object] {
			if g.reachable(method, kept) {
				g.reach(method, kept)
			}
		}
	}
	return ""
}

// reachable reports whether a declaration and everything that it uses compile.
func (g *graph) reachable(decl ast.Decl, kept map[ast.Decl]bool) bool {
	tried := map[ast.Decl]bool{}
	for d := range kept {
		tried[d] = true
	}
	return g.reach(decl, tried) == ""
}

// test returns the declaration of a test.
func (g *graph) test(name string) ast.Decl { return g.of[g.pkg.Types.Scope().Lookup(name)] }

// always returns the declarations that the copy always needs. With specs, unnamed
// variable declarations are tests.
func (g *graph) always(specs bool) (decls []ast.Decl) {
	for _, file := range g.pkg.Syntax {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "TestMain") {
					decls = append(decls, decl)
				}
			case *ast.GenDecl:
				if names := namesOf(d.Specs[0]); specs && len(names) == 1 && names[0].Name == "_" {
					decls = append(decls, decl)
				}
			}
		}
	}
	return decls
}
