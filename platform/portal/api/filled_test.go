package api_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

const apiPath = "github.com/vedette-io/vedette/platform/portal/api"

// excused are the fields that no code sets by name, with the reasons.
var excused = map[string]string{
	"Changes.Changes": "the stream writes the JSON itself, once for all browsers",
	"Changes.Behind":  "the stream writes the JSON itself",
	"Failure.Days":    "the same for all answers",
	"LikeJobs.Days":   "the same for all answers",
}

// requests are the types that clients send. The server must read their fields.
func isRequest(name string) bool { return strings.HasSuffix(name, "Request") || name == "Subscribe" }

// usage records how the server uses the fields of the API, by "Type.Field".
type usage struct {
	set  map[string]bool // set to a value that is not a constant, or set at all if it is not a number
	read map[string]bool
}

// TestFieldsAreFilled: each field of an answer is set somewhere in the server, a number not only
// to a constant, and each field of a request is read. Pages and clients do not count.
func TestFieldsAreFilled(t *testing.T) {
	packages, exports := listed(t)
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	u := usage{map[string]bool{}, map[string]bool{}}
	var fields []string
	for _, p := range packages {
		var files []*ast.File
		for _, name := range p.files {
			f, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		checked, err := (&types.Config{Importer: imports}).Check(p.path, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		if p.path == apiPath {
			fields = fieldsOf(checked)
			continue
		}
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool { u.note(info, n); return true })
		}
	}
	if len(fields) < 400 {
		t.Fatalf("only %d fields", len(fields))
	}
	for _, name := range fields {
		typ, _, _ := strings.Cut(name, ".")
		_, excuse := excused[name]
		switch known := u.set[name] || isRequest(typ) && u.read[name]; {
		case known && excuse:
			t.Errorf("%s is excused but set: remove the excuse", name)
		case !known && !excuse && isRequest(typ):
			t.Errorf("no code of the server reads %s", name)
		case !known && !excuse:
			t.Errorf("no code of the server fills %s: fill it, or remove it from the API and the pages", name)
		}
	}
	for name := range excused {
		if !slices.Contains(fields, name) {
			t.Errorf("there is no field %s", name)
		}
	}
}

// source is a package of the server.
type source struct {
	path, dir string
	files     []string
}

// listed returns the packages of the server, and where the compiled packages are.
func listed(t *testing.T) (all []source, exports map[string]string) {
	t.Helper()
	testinput.Uncached(t) // go list reads all sources of the program
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}", "github.com/vedette-io/vedette/cmd/vedette")
	var problem bytes.Buffer
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list failed: %v, %s", err, problem.String())
	}
	exports = map[string]string{}
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) < 3 {
			continue
		}
		exports[part[0]] = part[1]
		client := part[0] == "github.com/vedette-io/vedette/platform/portal/client"
		server := strings.HasPrefix(part[0], "github.com/vedette-io/vedette/platform/portal") || part[0] == "github.com/vedette-io/vedette/cmd/vedette"
		if server && !client && len(part) == 4 {
			all = append(all, source{part[0], part[2], strings.Fields(part[3])})
		}
	}
	return all, exports
}

// fieldsOf returns all fields of the structs of a package that clients see.
func fieldsOf(p *types.Package) (all []string) {
	for _, name := range p.Scope().Names() {
		s, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if _, isType := p.Scope().Lookup(name).(*types.TypeName); !ok || !isType {
			continue
		}
		for f := range s.Fields() {
			if f.Exported() && !f.Embedded() {
				all = append(all, name+"."+f.Name())
			}
		}
	}
	return all
}

// note notes what a node does with fields.
func (u *usage) note(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		u.literal(info, n)
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			constant := len(n.Lhs) == len(n.Rhs) && n.Tok == token.ASSIGN && info.Types[n.Rhs[i]].Value != nil
			u.assigned(info, left, constant)
		}
	case *ast.IncDecStmt:
		u.assigned(info, n.X, false)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			u.assigned(info, n.X, false)
		}
	case *ast.CallExpr: // a conversion of a whole struct
		if tv := info.Types[n.Fun]; tv.IsType() {
			if name, s := structOf(tv.Type); s != nil {
				for f := range s.Fields() {
					u.set[name+"."+f.Name()] = true
				}
			}
		}
	case *ast.SelectorExpr:
		if name, _ := fieldOf(info, n); name != "" {
			u.read[name] = true
		}
	}
}

// literal notes the fields of a literal.
func (u *usage) literal(info *types.Info, n *ast.CompositeLit) {
	name, s := structOf(info.Types[n].Type)
	if s == nil {
		return
	}
	for i, e := range n.Elts {
		field, value := s.Field(i), e
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key, ok := kv.Key.(*ast.Ident)
			if !ok {
				continue
			}
			value = kv.Value
			for f := range s.Fields() {
				if f.Name() == key.Name {
					field = f
				}
			}
		}
		u.fill(name+"."+field.Name(), field.Type(), info.Types[value].Value != nil)
	}
}

func (u *usage) assigned(info *types.Info, left ast.Expr, constant bool) {
	if index, ok := left.(*ast.IndexExpr); ok {
		left = index.X
	}
	if s, ok := left.(*ast.SelectorExpr); ok {
		if name, typ := fieldOf(info, s); name != "" {
			u.fill(name, typ, constant)
		}
	}
}

// fill notes that a field is set.
func (u *usage) fill(name string, typ types.Type, constant bool) {
	basic, ok := typ.Underlying().(*types.Basic)
	if number := ok && basic.Info()&types.IsNumeric != 0; !number || !constant {
		u.set[name] = true
	}
}

// fieldOf returns the field of the API that a selector names; "" for another one.
func fieldOf(info *types.Info, s *ast.SelectorExpr) (string, types.Type) {
	sel := info.Selections[s]
	if sel == nil || sel.Kind() != types.FieldVal {
		return "", nil
	}
	at := sel.Recv()
	for i, index := range sel.Index() {
		name, st := structOf(at)
		inner, ok := deref(at).Underlying().(*types.Struct)
		if !ok {
			return "", nil
		}
		field := inner.Field(index)
		if i == len(sel.Index())-1 {
			if st == nil {
				return "", nil
			}
			return fmt.Sprint(name, ".", field.Name()), field.Type()
		}
		at = field.Type()
	}
	return "", nil
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// structOf returns the name of a struct of the API; nil for another type.
func structOf(t types.Type) (string, *types.Struct) {
	if t == nil {
		return "", nil
	}
	named, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != apiPath {
		return "", nil
	}
	s, _ := named.Underlying().(*types.Struct)
	return named.Obj().Name(), s
}
